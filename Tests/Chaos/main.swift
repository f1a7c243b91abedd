@_spi(Baton) import BatonArguments
import Glibc

// A client of the relay may go away at any time.
signal(SIGPIPE, SIG_IGN)
switch ChaosCommand.outcome(of: Array(CommandLine.arguments.dropFirst())) {
case .command(let command):
    do {
        try await command.run()
    } catch let violated as PromisesViolated {
        exit(violated.status)
    } catch {
        printError("Error: \(error)")
        exit(70)
    }
case .help(let page): print(page.rendered(width: Terminal.isStandardOutput ? min(Terminal.width, 120) : 100))
case .version(let version): print(version)
case .failure(let error):
    printError(error.description)
    exit(64)
}
