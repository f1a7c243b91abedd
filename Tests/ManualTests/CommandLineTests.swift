import Testing

@Suite("Manual: the command line")
struct CommandLineTests {
    @Test("The page is the one that the declarations give")
    func page() throws {
        try ManualPage(name: "CommandLine").expect(generated: CommandLinePage().text)
    }
}
