@_spi(Baton) public import BatonArguments
@_spi(Baton) public import BatonLogging

/// The option for the log of long-lived processes.
struct LogArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Least level of log lines. With info, workers log each operation that they start, and how it ended (default: notice; \
            with --quiet: warning). A file log-level in the state directory goes before it: see SIGHUP in the manual's page \
            on operating.
            """,
            valueName: "level"
        )
    )
    var logLevel: Logger.Level?

    /// The level of the process, with the file that changes it; the file has been read.
    ///
    /// - Parameter label: the label of the line about a file that cannot be used.
    func levelFile(_ global: GlobalOptions, label: String) throws(CommandFailure) -> LogLevelFile {
        let usual = logLevel ?? (global.quiet ? .warning : .notice)
        let file = LogLevelFile(home: try global.homeDirectory, usual: usual)
        file.read(Logger(label: label, threshold: file.threshold))
        return file
    }
}

extension Logger.Level: ExpressibleByArgument {}
