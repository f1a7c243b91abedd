import Testing

/// The tests with real coordinators and workers, in sequence, as each test takes several processes.
@Suite("End to end", .serialized)
enum EndToEndTests {}
