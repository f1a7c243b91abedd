@_spi(Baton) import BatonOperations
import Testing

@_spi(Baton) @testable import BatonScheduler

@Suite("Commands added later", .timeLimit(.minutes(60)))
struct AddedCommandTests {
    private static let changed = Answer.changed(ChangeReport(changed: 1))
    private static let template = Template(work: Work(.commands([["first"]])))

    private func cluster(ahead: Int = 3) -> Cluster {
        Cluster(Configuration(sendAhead: .atMost(ahead)))
    }

    /// The commands of the last attempt that was sent of an operation.
    private func commands(_ cluster: Cluster, of id: OperationID) -> [[String]]? {
        let attempt = cluster.sent.last { $0.operation == id }
        guard case .commands(let commands)? = attempt?.work.kind else { return nil }
        return commands
    }

    private func message(_ answer: Answer?) -> String? {
        if case .refused(let refusal)? = answer, refusal.code == .invalid { refusal.message } else { nil }
    }

    @Test("BL2 A waiting operation runs its added commands beside its submitted ones, also after a restart")
    func waiting() {
        var cluster = cluster()
        let job = cluster.submit(Entry(isHeld: true), Entry(isHeld: true), templates: [Self.template])
        #expect(cluster.addCommand(["second", "x"], to: job / 0) == Self.changed)
        #expect(cluster.addCommand(["second", "x"], to: job / 0) == Self.changed)
        cluster.restart()
        #expect(cluster.addCommand(["third"], to: job / 0) == Self.changed)
        cluster.join("w1", slots: 2)
        cluster.release(.job(job))
        #expect(commands(cluster, of: job / 0) == [["first"], ["second", "x"], ["second", "x"], ["third"]])
        #expect(commands(cluster, of: job / 1) == [["first"]])
        // Equal templates travel once; a changed template is not sent as the original.
        #expect(cluster.sent.map(\.template) == [nil, 0])
        cluster.finishAll()
        #expect(cluster.order == ["1/0", "1/1"])
    }

    @Test("BL2 A command added to an array element belongs to that element alone, also after a restart")
    func element() {
        var cluster = cluster(ahead: 0)
        let array = Entry(isHeld: true, array: .numbers(first: 0, step: 1, count: 4))
        let job = cluster.submit(array, templates: [Self.template])
        #expect(cluster.addCommand(["second"], to: job / 2) == Self.changed)
        #expect(cluster.record.commands == [job / 2: [["first"], ["second"]]])
        cluster.restart()
        cluster.join("w1", slots: 4)
        cluster.release(.job(job))
        #expect((0..<4).map { commands(cluster, of: job / $0)?.count } == [1, 1, 2, 1])
    }

    // The elements printed "{szie}", because only the places of the submission were looked at.
    @Test("BL2 A mistaken place of a command for an element is refused, and for another operation it is a text")
    func mistakenPlace() {
        var cluster = cluster(ahead: 0)
        var template = Self.template
        template.work.columns = ["lr", "size"]
        let array = Entry(isHeld: true, array: .lines(["1,2", "3,4"]))
        let job = cluster.submit(array, Entry(template: 1, isHeld: true), templates: [template, Self.template])
        for word in ["{szie}", "{LR}", "{3}"] {
            #expect(
                message(cluster.addCommand(["echo", word], to: job / 1))?.contains("The command has \(word)") == true
            )
            #expect(cluster.addCommand(["echo", word], to: job / 2) == Self.changed)
        }
        #expect(cluster.addCommand(["echo", "{lr}", "\\{LR}"], to: job / 1) == Self.changed)
        #expect(cluster.addCommand(["echo"], to: job / 1) == Self.changed)
    }

    @Test("BL2 A prefetched operation is recalled before a command is added, and is sent again with the command")
    func sentAhead() {
        var cluster = cluster()
        let job = cluster.submit(.op(), .op(), templates: [Self.template])
        let session = cluster.join("w1")
        #expect(cluster.sent.map(\.operation) == [job / 0, job / 1])
        cluster.delayMessages(to: session)
        let request = cluster.request { .addCommand(job / 1, ["second"], request: $0) }
        #expect(cluster.answers[request] == nil)
        #expect(cluster.record.commands.isEmpty)
        cluster.deliverMessages(to: session)
        #expect(cluster.answers[request] == Self.changed)
        cluster.finish(job / 0)
        #expect(commands(cluster, of: job / 1) == [["first"], ["second"]])
    }

    @Test(
        "BL2 An added command is refused if it is invalid, or if its operation executes, is finished or has no commands"
    )
    func refused() {
        var cluster = cluster(ahead: 0)
        let job = cluster.submit(.op(), .op(), .op(template: 1), templates: [Self.template, .noOperation])
        cluster.join("w1", slots: 1)
        #expect(message(cluster.addCommand(["x"], to: job / 0))?.contains("1/0, because it is executing") == true)
        #expect(message(cluster.addCommand(["x"], to: job / 2))?.contains("it runs no commands") == true)
        #expect(message(cluster.addCommand([], to: job / 1)) == "A command is empty. Give a program and its arguments.")
        #expect(message(cluster.addCommand(["a\u{0}b"], to: job / 1))?.contains("NUL") == true)
        cluster.finish(job / 0)
        #expect(message(cluster.addCommand(["x"], to: job / 0))?.contains("1/0, because it is finished") == true)
        #expect(cluster.record.commands.isEmpty)
    }

    @Test(
        "BL2 An operation takes no command between two attempts, and its next attempt runs the same commands",
        arguments: [false, true]
    )
    func betweenAttempts(isLost: Bool) {
        var cluster = cluster()
        let session = cluster.join("w1")
        let template = Template(work: Work(.commands([["first"]])), retries: 1, retryDelay: .seconds(100))
        let job = cluster.submit(.op(), templates: [template])
        if isLost { cluster.pass(.seconds(50), silent: session) } else { cluster.finish(job / 0, .exited(1)) }
        #expect(cluster.state(job / 0) == (isLost ? .ready : .pending))
        #expect(message(cluster.addCommand(["second"], to: job / 0))?.contains("it has started before") == true)
        #expect(cluster.record.commands.isEmpty)
        if isLost { cluster.join("w2", id: WorkerID(rawValue: 2)) } else { cluster.pass(.seconds(200)) }
        #expect(cluster.sent.map(\.attempt) == [1, 2])
        #expect(commands(cluster, of: job / 0) == [["first"]])
    }

    @Test("A retry of an operation runs the commands that were added before its first attempt")
    func retried() {
        var cluster = cluster()
        let template = Template(work: Work(.commands([["first"]])), retries: 1, retryDelay: .zero)
        let job = cluster.submit(Entry(isHeld: true), templates: [template])
        #expect(cluster.addCommand(["second"], to: job / 0) == Self.changed)
        cluster.join("w1", slots: 1)
        cluster.release(.job(job))
        cluster.finish(job / 0, .exited(1))
        cluster.pass(.seconds(10))
        #expect(cluster.sent.map(\.attempt) == [1, 2])
        #expect(cluster.sent.allSatisfy { $0.work.kind == .commands([["first"], ["second"]]) })
    }

    @Test("An operation refuses added commands beyond 1000 commands or 1048576 bytes in all")
    func bounds() {
        var cluster = cluster()
        let job = cluster.submit(Entry(isHeld: true), Entry(isHeld: true), templates: [Self.template])
        for _ in 1..<Work.mostCommands { #expect(cluster.addCommand(["x"], to: job / 0) == Self.changed) }
        #expect(message(cluster.addCommand(["x"], to: job / 0))?.contains("at most 1000 commands") == true)
        let long = String(repeating: "x", count: Work.mostCommandBytes)
        #expect(message(cluster.addCommand([long], to: job / 1))?.contains("1048576 bytes") == true)
    }
}
