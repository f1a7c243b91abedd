import Testing

@_spi(Baton) @testable import baton_cli

@Suite("Arguments of the command line")
struct CommandLineArgumentTests {
    @Test("An argument that is not UTF-8 is refused as a usage error")
    func noText() async {
        let arguments = ["submit", "--", "cat"].map { Array($0.utf8) }
        #expect(await CommandRunner.run(bytes: arguments + [[0x61, 0xFF]]) == .status(64))
        #expect(await CommandRunner.run(bytes: [Array("--version".utf8)]) == .status(0))
    }
}
