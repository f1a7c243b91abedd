@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Lifecycle of an operation")
struct LifecycleTests {
    typealias Row = (event: Lifecycle.Event, actions: [Lifecycle.Action])

    /// The transition of each event at the stages pending, ready, sent, executing and finished.
    static let plain: [Row] = [
        (.conditionsMet, [.makeReady, .ignore, .ignore, .ignore, .ignore]),
        (.conditionAdded, [.ignore, .makePending, .ignore, .ignore, .ignore]),
        (.conditionImpossible, [.finish(.skipped), .finish(.skipped), .ignore, .ignore, .ignore]),
        (.inputsLost, [.finish(.failed), .finish(.failed), .ignore, .ignore, .ignore]),
        (.sent, [.ignore, .send, .ignore, .ignore, .ignore]),
        (.startFailed, [.ignore, .ignore, .returnUnstarted, .undoStart, .ignore]),
        (.returned, [.ignore, .ignore, .returnUnstarted, .ignore, .ignore]),
        (.started, [.ignore, .ignore, .start, .ignore, .ignore]),
        (.attemptSucceeded, [.ignore, .ignore, .ignore, .finish(.succeeded), .ignore]),
        (.attemptFailedWithRetriesLeft, [.ignore, .ignore, .ignore, .awaitRetry, .ignore]),
        (.attemptFailed, [.ignore, .ignore, .ignore, .finish(.failed), .ignore]),
        (.attemptWithoutRoom, [.ignore, .ignore, .ignore, .awaitRoom, .ignore]),
        (.attemptCancelled, [.ignore, .ignore, .ignore, .finish(.cancelled), .ignore]),
        (.attemptLost, [.ignore, .ignore, .returnToReady, .returnToReady, .ignore]),
        (.attemptLostForGood, [.ignore, .ignore, .finish(.failed), .finish(.failed), .ignore]),
        (
            .cancellationRequested,
            [.finish(.cancelled), .finish(.cancelled), .askWorkerToEnd, .askWorkerToEnd, .ignore]
        ),
        (.queueResumed, [.ignore, .ignore, .ignore, .ignore, .ignore]),
    ]

    /// The differences in a suspended queue.
    static let suspended: [Row] = [
        (.cancellationRequested, [.flag, .flag, .askWorkerToEnd, .askWorkerToEnd, .ignore])
    ]

    /// The differences for an operation whose cancellation was requested before.
    static let cancelled: [Row] = [
        (.conditionImpossible, [.ignore, .ignore, .ignore, .ignore, .ignore]),
        (.inputsLost, [.ignore, .ignore, .ignore, .ignore, .ignore]),
        (.sent, [.ignore, .ignore, .ignore, .ignore, .ignore]),
        (.startFailed, [.ignore, .ignore, .finish(.cancelled), .finish(.cancelled), .ignore]),
        (.returned, [.ignore, .ignore, .finish(.cancelled), .ignore, .ignore]),
        (.attemptFailedWithRetriesLeft, [.ignore, .ignore, .ignore, .finish(.cancelled), .ignore]),
        (.attemptFailed, [.ignore, .ignore, .ignore, .finish(.failed), .ignore]),
        (.attemptWithoutRoom, [.ignore, .ignore, .ignore, .finish(.cancelled), .ignore]),
        (.attemptCancelled, [.ignore, .ignore, .ignore, .finish(.cancelled), .ignore]),
        (.attemptLost, [.ignore, .ignore, .finish(.cancelled), .finish(.cancelled), .ignore]),
        (.attemptLostForGood, [.ignore, .ignore, .finish(.cancelled), .finish(.cancelled), .ignore]),
        (.cancellationRequested, [.ignore, .ignore, .ignore, .ignore, .ignore]),
        (.queueResumed, [.finish(.cancelled), .finish(.cancelled), .ignore, .ignore, .ignore]),
    ]

    /// The differences for a cancelled operation in a suspended queue: the operation stays, unless it runs (SU3).
    static let cancelledAndSuspended: [Row] = [
        (.startFailed, [.ignore, .ignore, .returnUnstarted, .finish(.cancelled), .ignore]),
        (.returned, [.ignore, .ignore, .returnUnstarted, .ignore, .ignore]),
        (.attemptLost, [.ignore, .ignore, .returnUnstarted, .finish(.cancelled), .ignore]),
        (.attemptLostForGood, [.ignore, .ignore, .returnUnstarted, .finish(.cancelled), .ignore]),
    ]

    private static func check(_ tables: [[Row]], isCancelled: Bool, isSuspended: Bool) {
        var expected: [Lifecycle.Event: [Lifecycle.Action]] = [:]
        for row in tables.joined() { expected[row.event] = row.actions }
        for event in Lifecycle.Event.allCases {
            let actions = Lifecycle.Stage.allCases.map { stage in
                Lifecycle.action(at: stage, isCancelled: isCancelled, isSuspended: isSuspended, on: event)
            }
            #expect(actions == expected[event], "\(event), cancelled: \(isCancelled), suspended: \(isSuspended)")
        }
    }

    @Test("ST2 Each event has its defined action at each stage, with and without cancellation and suspension")
    func table() {
        Self.check([Self.plain], isCancelled: false, isSuspended: false)
        Self.check([Self.plain, Self.suspended], isCancelled: false, isSuspended: true)
        Self.check([Self.plain, Self.cancelled], isCancelled: true, isSuspended: false)
        Self.check([Self.plain, Self.cancelled, Self.cancelledAndSuspended], isCancelled: true, isSuspended: true)
    }

    @Test("ST5 A finished operation ignores every event, with and without cancellation and suspension")
    func finished() {
        for event in Lifecycle.Event.allCases {
            for (isCancelled, isSuspended) in [(false, false), (false, true), (true, false), (true, true)] {
                let action = Lifecycle.action(
                    at: .finished,
                    isCancelled: isCancelled,
                    isSuspended: isSuspended,
                    on: event
                )
                #expect(action == .ignore)
            }
        }
    }
}
