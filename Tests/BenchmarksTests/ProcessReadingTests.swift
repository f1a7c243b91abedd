import Testing

@_spi(Baton) @testable import BatonBenchmarks

@Suite("Readings of a process")
struct ProcessReadingTests {
    private static let status = "Name:\tbaton\nVmHWM:\t   20480 kB\nVmRSS:\t   10240 kB\nThreads:\t4\n"
    private static let numbers = "S 1 42 42 0 -1 4194304 100 200 0 0 150 50 900 800 20 0 4 0 1234 5678"

    @Test("A reading counts the processor time of the process without its children, whatever the program is called")
    func stat() throws {
        let reading = try #require(
            ProcessReading(stat: "42 (a) b (c) \(Self.numbers)", status: Self.status, ticksPerSecond: 100)
        )
        #expect(reading.processorTime == .seconds(2))
        #expect(reading.resident == 10_240 * 1024)
        #expect(reading.peak == 20_480 * 1024)
    }

    @Test(
        "A reading of incomplete or malformed texts is nil",
        arguments: [
            ("", status), ("42 (a) S 1", status), ("42 (a) \(numbers)", ""),
            ("42 (a) \(numbers)", "VmHWM:\t1 kB\nVmRSS:\tmuch kB\n"),
        ]
    )
    func others(stat: String, status: String) {
        #expect(ProcessReading(stat: stat, status: status, ticksPerSecond: 100) == nil)
    }
}
