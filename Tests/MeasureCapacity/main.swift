@_spi(Baton) import BatonArguments
import Foundation

switch CapacityCommand.outcome(of: Array(CommandLine.arguments.dropFirst())) {
case .command(let command):
    do {
        try await command.run()
    } catch {
        FileHandle.standardError.write(Data("Error: \(error)\n".utf8))
        exit(70)
    }
case .help(let page): print(page.rendered(width: 100))
case .version(let version): print(version)
case .failure(let error):
    FileHandle.standardError.write(Data("\(error.description)\n".utf8))
    exit(64)
}
