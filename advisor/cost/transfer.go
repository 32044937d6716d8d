package cost

// Efficiency is the share of a line's bit rate that a file transfer reaches,
// our assumption of decision table 8.
const Efficiency = 0.8

// UploadHours is how long data takes at a line's rate: GB·8000/Mbps/3600,
// divided by the efficiency (decision table 8). 100 GB at 20 Mbit/s and
// efficiency 1 are 11.1 h. Errors: those of bad numbers.
func UploadHours(gb, mbps, efficiency float64) (float64, error) {
	if err := within(gb, "data_gb", 0, MaxGB); err != nil {
		return 0, err
	}
	if err := within(mbps, "upload_mbps", 0.01, 10e6); err != nil {
		return 0, err
	}
	if err := Exactly(efficiency).share("efficiency", minShare); err != nil {
		return 0, err
	}
	return gb * 8000 / mbps / 3600 / efficiency, nil
}

// Transfer compares the upload with the run; its values are those of the
// tables' input transfer.
type Transfer string

const (
	TransferFine      Transfer = "fine"
	TransferDominates Transfer = "dominates" // the upload is longer: upload before renting (risk note K6)
)

// TransferOf is TransferDominates when the upload takes longer than the run.
func TransferOf(uploadHours, runHours float64) Transfer {
	if uploadHours > runHours {
		return TransferDominates
	}
	return TransferFine
}

// DiskGB is the disk to rent: data, models and the checkpoints that are kept,
// with 30 % to spare (decision table 8). Errors: those of bad numbers.
func DiskGB(data, models, checkpoint float64, kept int) (float64, error) {
	for _, q := range [...]struct {
		field string
		v     float64
	}{{"data_gb", data}, {"models_gb", models}, {"checkpoint_gb", checkpoint}, {"kept", float64(kept)}} {
		if err := within(q.v, q.field, 0, MaxGB); err != nil {
			return 0, err
		}
	}
	return (data + models + float64(kept)*checkpoint) * 1.3, nil
}
