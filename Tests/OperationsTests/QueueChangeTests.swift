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
}
