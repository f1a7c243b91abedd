@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Settings of retries", .timeLimit(.minutes(60)))
struct RetrySettingsTests {
    /// The conditions of a setting; tests name valid ones only.
    private static func conditions(_ texts: String...) -> [EndCondition] { texts.compactMap { EndCondition($0) } }

    @Test("RT1 The wait before a retry doubles, a quarter more or less, up to the limit", arguments: [0, UInt64.max])
    func delayLimit(seed: UInt64) {
        var template = Template.retrying(6, delay: .seconds(4))
        template.retryDelayLimit = .seconds(20)
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [template])
        for wait in [4.0, 8, 16, 32, 64, 128] {
            cluster.finish(job / 0, .exited(1), seed: seed)
            let due = cluster.last(job / 0)?.notBefore ?? cluster.now
            let expected = min(20, wait * (seed == 0 ? 0.75 : 1.25))
            #expect(abs((due - cluster.now) / .seconds(1) - expected) < 0.001)
            cluster.pass(due - cluster.now)
        }
        #expect(cluster.running[job / 0]?.attempt == 7)
    }

    @Test("RT1 The limit counts also for a first wait that is longer")
    func shortLimit() {
        var template = Template.retrying(1, delay: .seconds(200_000))
        template.retryDelayLimit = .zero
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [template])
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.last(job / 0)?.notBefore == cluster.now)
    }

    /// An end with a rule for it, and whether another attempt follows.
    struct Case: Sendable {
        var end: AttemptEnd
        var retryOn: [EndCondition] = []
        var noRetryOn: [EndCondition] = []
        var finalStatus: [EndCondition] = []
        var isRetried: Bool
    }

    static let cases = [
        Case(end: .exited(75), retryOn: conditions("75", "timeout"), isRetried: true),
        Case(end: .exited(76), retryOn: conditions("75", "timeout"), isRetried: false),
        Case(end: .exited(65), retryOn: conditions("64-66"), isRetried: true),
        Case(end: .exited(67), retryOn: conditions("64-66"), isRetried: false),
        Case(end: .exited(1), retryOn: conditions("exit"), isRetried: true),
        Case(end: .timedOut, retryOn: conditions("75", "timeout"), isRetried: true),
        Case(end: .exceededMemory(limit: 1), retryOn: conditions("memory"), isRetried: true),
        Case(end: .signalled(75), retryOn: conditions("75"), isRetried: false),
        Case(end: .signalled(9), retryOn: conditions("signal"), isRetried: true),
        Case(end: .notStarted("No."), retryOn: conditions("launch"), isRetried: true),
        Case(end: .unusableResult("No."), retryOn: conditions("result"), isRetried: true),
        Case(end: .threw("No."), retryOn: conditions("error"), isRetried: true),
        Case(end: .threw("No."), retryOn: conditions("exit"), isRetried: false),
        Case(end: .exited(64), noRetryOn: conditions("64-66"), isRetried: false),
        Case(end: .exited(67), noRetryOn: conditions("64-66"), isRetried: true),
        Case(end: .timedOut, noRetryOn: conditions("timeout"), isRetried: false),
        Case(end: .exited(64), retryOn: conditions("64-70"), noRetryOn: conditions("64"), isRetried: false),
        Case(end: .exited(100), finalStatus: conditions("100"), isRetried: false),
        Case(end: .exited(100), retryOn: conditions("100"), finalStatus: conditions("100"), isRetried: false),
        Case(end: .exited(99), finalStatus: conditions("100"), isRetried: true),
        Case(end: .signalled(100), finalStatus: conditions("100"), isRetried: true),
    ]

    @Test("RT2 RT3 Settings name the ends with a retry, those without, and the final statuses", arguments: cases)
    func ends(_ one: Case) {
        let work = Work(.noOperation, timeout: .seconds(5), memory: 1)
        var template = Template(work: work, retries: 3, retryDelay: .zero)
        template.retryOn = one.retryOn
        template.noRetryOn = one.noRetryOn
        template.finalStatus = one.finalStatus
        var cluster = Cluster()
        cluster.join("w1", offer: WorkerOffer(memory: 1 << 30))
        let job = cluster.submit(.op(), templates: [template])
        cluster.finish(job / 0, one.end)
        let outcome: Outcome? = one.isRetried ? nil : .failed
        #expect(cluster.outcome(job / 0) == outcome)
        guard !one.isRetried else { return }
        let message = cluster.last(job / 0)?.reason?.message ?? ""
        #expect(message.hasSuffix(one.finalStatus.isEmpty ? " Such an end is not retried." : " The status is final."))
    }

    @Test("RT2 RT3 Without retries left, the reason says nothing of them")
    func withoutRetries() {
        var template = Template.retrying(0)
        template.noRetryOn = Self.conditions("1")
        template.finalStatus = Self.conditions("1")
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), templates: [template])
        cluster.finish(job / 0, .exited(1))
        #expect(cluster.last(job / 0)?.reason == Reason(.exit, "It exited with status 1."))
    }

    @Test("RT3 A final status counts also after earlier attempts, and a loss of the worker is no such end")
    func finalLater() {
        var template = Template.retrying(5, delay: .zero)
        template.retryOn = Self.conditions("75")
        template.finalStatus = Self.conditions("100")
        var cluster = Cluster()
        cluster.join("w1")
        let job = cluster.submit(.op(), .op(on: .onFailure(0)), templates: [template, .noOperation])
        cluster.finish(job / 0, .exited(75))
        cluster.pass(.milliseconds(1))
        cluster.finish(job / 0, .interrupted)
        #expect(cluster.running[job / 0]?.attempt == 3)
        cluster.finish(job / 0, .exited(100))
        #expect(cluster.outcome(job / 0) == .failed && cluster.last(job / 0)?.attempt == 3)
        #expect(cluster.state(job / 1) == .executing)
    }
}
