@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonKeys

/// The command `baton dashboard`.
struct DashboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Prints the address of the web interface, with the token that lets its user act.",
        discussion: """
            Run dashboard on the coordinator's state directory. The token is a secret: it stands behind the # of the address, which \
            browsers do not send. Programs send it in the header "Authorization: Bearer".
            """,
        examples: [Example("baton dashboard"), Example("baton dashboard --json", "The address and the token apart")]
    )

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let home = try global.homeDirectory
        guard let url = try WebAddressFile(home: home).url() else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "noWebInterface",
                "No coordinator with a web interface runs in \(home).",
                advice: "See the log of the coordinator, and its option --http."
            )
        }
        let tokenFile = LocalTokenFile(home: home)
        guard let token = try tokenFile.token() else {
            throw CommandFailure(
                ExitStatus.notFound,
                code: "noToken",
                "The web interface is at \(url), but its token is missing: there is no file \(tokenFile.path).",
                advice: "The next start of the coordinator makes one; \"baton authorize --http\" makes another token."
            )
        }
        guard global.json else { return try Output.line("\(url)#token=\(token.text)") }
        try Output.document { writer in
            writer.member("url", url)
            writer.member("token", token.text)
        }
    }
}
