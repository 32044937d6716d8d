module gpuadvisor

go 1.26
