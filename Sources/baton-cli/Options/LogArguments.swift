@_spi(Baton) public import BatonArguments
@_spi(Baton) public import BatonLogging

/// The option for the log of long-lived processes.
struct LogArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Least level of log lines. With info, workers log each operation that they start, and how it ended (default: notice; \
            with --quiet: warning).
            """,
            valueName: "level"
        )
    )
    var logLevel: Logger.Level?

    /// The level of the process.
    func level(_ global: GlobalOptions) -> Logger.Level { logLevel ?? (global.quiet ? .warning : .notice) }
}

extension Logger.Level: ExpressibleByArgument {}
