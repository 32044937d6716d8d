package advisor

func (t *turn) prices() {}
