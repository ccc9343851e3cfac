//! Measurements, each printed beside its limit. Run by `cargo xtask bench`.
#![allow(clippy::print_stdout, reason = "the numbers are the output")]

fn main() {
    println!("No measurement exists yet.");
}
