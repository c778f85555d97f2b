"""Breaking things on purpose: a random mix of faults over real servers, then an audit that must come out at zero."""
