//! What a person sees of the sample loop.
