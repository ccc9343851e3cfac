//! spec_kit_run: not tested yet.
