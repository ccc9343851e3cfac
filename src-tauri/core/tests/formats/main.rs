//! Every format from outside: fixtures, tolerance, verbs, edits, repairs, properties. One program, so that it is linked once.

mod almost_json;
mod aot;
mod ccw_contract;
mod ccw_edits;
mod ccw_fixtures;
mod ccw_formats;
mod ccw_properties;
mod ccw_recovery;
mod ccw_recovery_damage;
mod ccw_recovery_facts;
mod field_dead_ends;
mod outlines;
mod ralph_field;
mod ralph_properties;
mod ways_out;
