"""What the driver reads of one call: values, gradients, aliases, state and faults."""
