import Testing

@_spi(Baton) @testable import BatonWorker

@Suite("The lesser of two optional values", .timeLimit(.minutes(60)))
struct LeastTests {
    @Test("A missing value does not count")
    func values() {
        #expect(Int?.least(2, 1) == 1)
        #expect(Int?.least(1, 2) == 1)
        #expect(Int?.least(nil, 2) == 2)
        #expect(Int?.least(1, nil) == 1)
        #expect(Int?.least(nil, nil) == nil)
    }
}
