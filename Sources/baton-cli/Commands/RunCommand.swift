import BatonArguments
import BatonClient

/// The command `baton run`.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Submits one operation, an array or a graph, shows how it goes, and exits as it does.",
        discussion: """
            The output of a single command is printed as it comes, and its exit status is that of run: 128 and the number \
            of a signal that ended it, 124 where its --timeout did, 143 where somebody cancelled it, 125 where it could not be \
            run. An array or a graph ends with 0 if all of it succeeded or was not needed, else with 1 and the end of what the \
            failed operations printed on standard error. Ctrl-C cancels what was submitted; a second one leaves at once.
            """,
        examples: [
            Example("baton run -- make -j4", "Run make and print its output"),
            Example("baton run --file graph.json", "Run a graph, with a progress bar on a terminal"),
            Example("baton run --local --file graph.json", "The same with nothing running before"),
        ]
    )

    @Flag(help: "Bring a coordinator and two workers along for the duration, instead of using those that run.")
    var local = false

    @OptionGroup var operation: OperationOptions
    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let submission = try operation.submission()
        let interruption = Interruption()
        defer { withExtendedLifetime(interruption) {} }
        guard local else {
            let run = JobRun(
                connection: try global.connect(),
                interruption: interruption,
                global: global,
                waiter: global.waiter
            )
            throw QuietExit(status: try await run.perform(submission, isSingle: operation.isSingle))
        }

        let cluster = try LocalCluster()
        interruption.beforeLeaving { cluster.stopNow() }
        let status: Int32
        do {
            let run = JobRun(
                connection: try global.connect(to: cluster.endpoint),
                interruption: interruption,
                global: global,
                waiter: nil
            )
            status = try await run.perform(submission, isSingle: operation.isSingle)
        } catch {
            await cluster.stop()
            throw error
        }
        await cluster.stop()
        throw QuietExit(status: status)
    }
}
