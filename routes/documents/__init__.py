"""Documents to sign, asked for directly or as an action that an answer offers."""
