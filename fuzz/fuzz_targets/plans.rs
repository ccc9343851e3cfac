#![no_main]
libfuzzer_sys::fuzz_target!(|bytes: &[u8]| loopdeck_fuzz_checks::plans::check(bytes));
