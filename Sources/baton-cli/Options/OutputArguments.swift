@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonWorker

/// The limits for the stored output of operations, and for the files that they have left.
struct OutputArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            How much of the end of each output stream of an operation the worker keeps at least; beyond it, the worker removes \
            the oldest output (default: 256M).
            """,
            valueName: "size"
        ),
        transform: { (text: String) in try SizeOption.read(text, atLeast: WorkerOptions.leastOutputLimit) }
    )
    var outputLimit: UInt64?

    @Option(
        help: ArgumentHelp(
            """
            Limit of all files of operations that a worker keeps, such as 200G; at least 1M (default: a fifth of the file \
            system). When the worker needs room, it removes the oldest files that no unfinished job and no --keep-files needs.
            """,
            valueName: "size"
        ),
        transform: { (text: String) in try SizeOption.read(text, atLeast: WorkerOptions.leastOutputLimit) }
    )
    var filesLimit: UInt64?
}

/// Options with a size as value.
enum SizeOption {
    private static let units: [Character: UInt64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]

    /// Reads a size in the notation of the command line.
    static func read(_ text: String, atLeast least: UInt64) throws(ValidationError) -> UInt64 {
        var digits = text[...]
        var unit: UInt64 = 1
        if let last = digits.last, let named = units[last] {
            unit = named
            digits = digits.dropLast()
        }
        guard let number = UInt64(digits), digits.allSatisfy(\.isASCII), !digits.hasPrefix("+") else {
            throw ValidationError("Please provide a size such as 512M or 4G.")
        }
        let (bytes, isTooLarge) = number.multipliedReportingOverflow(by: unit)
        guard !isTooLarge, bytes <= 1 << 50 else { throw ValidationError("Please provide a size below 1024T.") }
        guard bytes >= least else { throw ValidationError("Please provide a size of at least \(least >> 20)M.") }
        return bytes
    }
}
