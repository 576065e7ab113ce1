"""Library programs that run as child processes: training, models, cudasim."""
