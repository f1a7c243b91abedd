@_spi(Baton) import BatonLogging
import BatonMemoryDisk
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonScheduler
@_spi(Baton) import BatonStore
import Foundation
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonCoordinator

@Suite("The window outlasts the silence of a leader", .timeLimit(.minutes(60)))
struct SilenceRuleTests {
    /// Options with times in milliseconds; those of the defaults without them.
    private func options(
        lease: Int?,
        window: Int = 5000,
        heartbeat: Int = 2000,
        suspectAfter: Int = 10_000,
        lostAfter: Int = 45_000
    ) -> CoordinatorOptions {
        var options = CoordinatorOptions(
            store: .file(""),
            heartbeatInterval: .milliseconds(heartbeat),
            version: "test",
            logger: Logger(label: "coordinator", level: .critical)
        )
        options.lease = lease.map { .milliseconds($0) }
        options.configuration.reconcileWindow = .milliseconds(window)
        options.configuration.suspectAfter = .milliseconds(suspectAfter)
        options.configuration.lostAfter = .milliseconds(lostAfter)
        return options
    }

    /// The time at the end of an objection.
    private func advice(_ options: CoordinatorOptions, about option: String) throws -> Duration {
        let objection = try #require(SilenceRule.objection(to: options))
        #expect(objection.contains("Raise \(option) to at least "), "\(objection)")
        let word = try #require(objection.split(separator: " ").last)
        return try #require(Duration(text: String(word.dropLast())), "\(objection)")
    }

    @Test("With the usual window and a lease of two seconds, a worker notices a silence after 4.8 seconds")
    func usual() {
        let options = options(lease: 2000)
        #expect(SilenceRule.heartbeatInterval(options) == .milliseconds(1200))
        #expect(SilenceRule.objection(to: options) == nil)
    }

    @Test("Without a lease, the interval follows the limits of workers alone, and no window is refused")
    func withoutLease() {
        var random = SplitMix(seed: 42)
        for _ in 0..<500 {
            func time(_ range: ClosedRange<UInt64>) -> Int {
                Int(range.lowerBound + random.next() % (range.upperBound - range.lowerBound))
            }
            let options = options(
                lease: nil,
                window: time(0...60_000),
                heartbeat: time(1...10_000),
                suspectAfter: time(1...20_000),
                lostAfter: time(1...60_000)
            )
            let configuration = options.configuration
            let lease = max(.seconds(1), min(configuration.lostAfter, configuration.reconcileWindow))
            let expected = min(options.heartbeatInterval, lease / 3, configuration.suspectAfter / 3)
            #expect(SilenceRule.heartbeatInterval(options) == expected)
            #expect(SilenceRule.objection(to: options) == nil)
        }
    }

    @Test("Whatever options are accepted, a worker is back before the window of the next leader ends")
    func random() {
        var random = SplitMix(seed: 43)
        var accepted = 0
        for _ in 0..<2000 {
            let lease = Int(random.next() % 5000)
            let window = Int(random.next() % 8000)
            let heartbeat = Int(1 + random.next() % 10_000)
            let lostAfter = Int(1 + random.next() % 60_000)
            let options = options(lease: lease, window: window, heartbeat: heartbeat, lostAfter: lostAfter)
            var withoutLease = options
            withoutLease.lease = nil
            let interval = SilenceRule.heartbeatInterval(options)
            #expect(interval > .zero && interval <= SilenceRule.heartbeatInterval(withoutLease))
            guard SilenceRule.objection(to: options) == nil else { continue }
            accepted += 1
            let whole = Duration.milliseconds(lease + window)
            #expect(lease >= 1000 && interval * 4 + .seconds(1) <= whole && options.configuration.lostAfter >= whole)
        }
        #expect(accepted > 500)
    }

    @Test(
        "A window that is too short for the lease is refused, with the least one that is not",
        arguments: [1000, 1200, 1500, 1999],
        [50, 100, 240, 300, 2000]
    )
    func shortWindow(lease: Int, heartbeat: Int) throws {
        let silence = 4 * min(heartbeat, 250) + 1000
        guard silence > lease else {
            #expect(SilenceRule.objection(to: options(lease: lease, window: 0, heartbeat: heartbeat)) == nil)
            return
        }
        for window in [0, (silence - lease) / 2, silence - lease - 1] {
            let least = try advice(
                options(lease: lease, window: window, heartbeat: heartbeat),
                about: "--reconcile-window"
            )
            #expect(least == .milliseconds(silence - lease))
        }
        let enough = options(lease: lease, window: silence - lease, heartbeat: heartbeat)
        #expect(SilenceRule.objection(to: enough) == nil)
    }

    @Test("A lease of less than a second, and a loss of workers within window and lease, are refused")
    func others() throws {
        for lease in [0, 1, 500, 999] { #expect(try advice(options(lease: lease), about: "--lease") == .seconds(1)) }
        for (lease, window) in [(1000, 45_000), (2000, 43_001), (60_000, 5000)] {
            let least = try advice(options(lease: lease, window: window), about: "--lost-after")
            #expect(least == .milliseconds(lease + window))
            let enough = options(lease: lease, window: window, lostAfter: lease + window)
            #expect(SilenceRule.objection(to: enough) == nil)
        }
    }

    @Test("A coordinator with options that do not go together does not start, and writes nothing")
    func start() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "baton-\(UUID().uuidString)")
        for (lease, window) in [(999, 5000), (1000, 0), (44_000, 5000)] {
            var options = options(lease: lease, window: window)
            options.listen = "tcp://127.0.0.1:*"
            options.store = .file(directory.appending(path: "baton.db").path)
            let sentence = SilenceRule.objection(to: options)
            do throws(CoordinatorError) {
                _ = try CoordinatorServer(options)
                Issue.record("a coordinator has started")
            } catch {
                #expect(error.code == .badOptions && error.message == sentence)
            }
            #expect(!FileManager.default.fileExists(atPath: directory.path))
        }
    }

    @Test("A worker is told the interval that the lease leads to", arguments: [nil, 1000, 2000, 3500])
    func welcome(lease: Int?) throws {
        let peer = RoutingID(inProcess: 1)
        let coordinator = try SteppedCoordinator(
            SQLStore(on: MemoryDisk()),
            at: Timestamp(rawValue: 1_000_000),
            lease: lease.map { LeaderLease(length: .milliseconds($0), provenAt: Timestamp(rawValue: 0)) }
        )
        coordinator.join("w1", SessionID(rawValue: 7), from: peer)
        let welcomes = try coordinator.takeMessages().compactMap { bytes, _ -> Welcome? in
            let message = try bytes.withUnsafeBytes { try CoordinatorMessage(decoding: $0) }
            return if case .welcome(let welcome) = message { welcome } else { nil }
        }
        let expected = SilenceRule.heartbeatInterval(options(lease: lease))
        #expect(welcomes.map { $0.heartbeatInterval.microseconds } == [expected.microseconds])
        #expect(welcomes.map(\.lease) == [.seconds(5)])
    }
}
