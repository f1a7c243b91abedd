import Testing

/// The tests that start real coordinators and workers, one after the other: each takes several processes.
@Suite("End to end", .serialized)
enum EndToEndTests {}
