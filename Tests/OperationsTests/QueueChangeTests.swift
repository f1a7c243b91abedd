@_spi(Baton) import BatonOperations
import Testing

@Suite("Changes of queues") struct QueueChangeTests {
    private let settings = QueueSettings(
        maxConcurrent: 5,
        qualityOfService: .utility,
        isSuspended: true,
        total: 40
    )

    private func applied(_ change: (inout QueueChange) -> Void) -> QueueSettings {
        var request = QueueChange(name: "q")
        change(&request)
        return request.applied(to: settings)
    }

    @Test("A change of a queue without any setting leaves all settings as they are")
    func changeQueueWithoutAny() {
        #expect(applied { _ in } == settings)
        #expect(QueueChange(name: "q").applied(to: QueueSettings()) == QueueSettings())
    }

    @Test("A change of a queue sets the settings that it names and keeps the others")
    func changeQueueSetsSettings() {
        var expected = settings
        expected.maxConcurrent = 0
        #expect(applied { $0.maxConcurrent = .atMost(0) } == expected)

        expected = settings
        expected.qualityOfService = .background
        #expect(applied { $0.qualityOfService = .background } == expected)

        expected = settings
        expected.isSuspended = false
        #expect(applied { $0.isSuspended = false } == expected)
        #expect(applied { $0.isSuspended = true } == settings)

        expected = settings
        expected.total = 7
        #expect(applied { $0.total = 7 } == expected)
    }

    @Test("CO4 PG1 A change to no limit or to a total of 0 removes the limit or the total")
    func changeNoLimitTotal() {
        var expected = settings
        expected.maxConcurrent = nil
        #expect(applied { $0.maxConcurrent = .unlimited } == expected)

        expected = settings
        expected.total = nil
        #expect(applied { $0.total = 0 } == expected)
    }

    @Test("SU5 Suspending a suspended queue leaves its settings as they are")
    func suspendingSuspendedQueueLeaves() {
        let suspend = QueueChange(name: "q", isSuspended: true)
        let once = suspend.applied(to: QueueSettings())
        #expect(once == QueueSettings(isSuspended: true))
        #expect(suspend.applied(to: once) == once)
    }

    @Test("CO10 A rate is read as it is written, and bounds starts by intervals that are rounded up")
    func rates() throws {
        for (text, interval, burst) in [
            ("10/s", 100_000, 1), ("1000/s", 1000, 100), ("3/s", 333_334, 1), ("30/m", 2_000_000, 1),
            ("1/h", 3_600_000_000, 1), ("1000000/s", 1, 100_000),
        ] as [(String, Int64, Int64)] {
            let rate = try #require(StartRate(text))
            #expect(rate.description == text)
            #expect(rate.interval == interval && rate.burst == burst)
        }
        for text in [
            "", "10", "0/s", "-1/s", "+1/s", "1.5/s", "10/d", "10/S", "1000001/s", "/s", "10/s/s", "10/ s", "none",
        ] {
            #expect(StartRate(text) == nil, "\(text)")
        }
        let rate = try #require(StartRate("10/s"))
        #expect(QueueChange.Rate("none") == .unlimited && QueueChange.Rate("10/s") == .atMost(rate))
        let paced = QueueChange(name: "q", startRate: .atMost(rate)).applied(to: settings)
        #expect(paced.startRate == rate && paced.maxConcurrent == settings.maxConcurrent)
        #expect(QueueChange(name: "q", total: 4).applied(to: paced).startRate == rate)
        #expect(QueueChange(name: "q", startRate: .unlimited).applied(to: paced) == settings)
    }
}
