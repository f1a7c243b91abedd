@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonClient
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// The command `baton progress`.
struct ProgressCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "progress",
        abstract: "Reports the progress of a running operation; called by the operation itself.",
        discussion: """
            The report concerns the attempt named by BATON_OPERATION and BATON_ATTEMPT, and goes to the coordinator at \
            BATON_COORDINATOR. If the coordinator is unreachable, the report is lost and the command still succeeds, so that the \
            operation can continue.
            """,
        examples: [
            Example("baton progress 0.25"),
            Example("baton progress 50% 'half of the pictures'", "With a message"),
        ]
    )

    /// The maximum wait for an answer, because a running operation is the caller.
    private static let timeout = Duration.seconds(10)

    @Argument(
        help: "Completed part: a number from 0 to 1, or a percentage such as 25%.",
        transform: { (text: String) in try Self.fraction(text) }
    )
    var fraction: Double

    @Argument(help: "Description of the current step; cut after \(WireLimits.maximumProgressMessageLength) bytes.")
    var message: [String] = []

    @OptionGroup(title: "Global Options") var global: GlobalOptions

    func run() async throws {
        let (operation, attempt) = try Self.caller
        let text = Self.shortened(message.joined(separator: " "), to: WireLimits.maximumProgressMessageLength)
        let progress = OperationProgress(fraction: fraction, message: text.isEmpty ? nil : text)
        do {
            let report = try await global.connect().change(
                .reportProgress(operation, attempt: attempt, progress),
                timeout: Self.timeout
            )
            if !global.quiet { for note in report.notes { Output.note(note) } }
        } catch let error as ClientError {
            switch error.code {
            case .unreachable, .lost, .timedOut:
                if !global.quiet { Output.note("The progress was not reported. \(CommandFailure(error).text)") }
            default: throw error
            }
        }
    }

    /// The calling operation, and its attempt.
    private static var caller: (OperationID, attempt: UInt32) {
        get throws(CommandFailure) {
            guard case .operation(let operation)? = Surroundings.variable("BATON_OPERATION").flatMap(Address.init(_:)),
                let attempt = Surroundings.variable("BATON_ATTEMPT").flatMap({ UInt32($0) })
            else {
                throw CommandFailure(
                    ExitStatus.usage,
                    code: "noOperation",
                    "No operation is running here: \"baton progress\" works only within a running operation, where "
                        + "BATON_OPERATION and BATON_ATTEMPT are set."
                )
            }
            return (operation, attempt)
        }
    }

    /// Reads a fraction or a percentage.
    static func fraction(_ text: String) throws(ValidationError) -> Double {
        let isPercentage = text.hasSuffix("%")
        guard let number = Double(isPercentage ? String(text.dropLast()) : text), number >= 0,
            number <= (isPercentage ? 100 : 1)
        else { throw ValidationError("Please provide a number from 0 to 1, or a percentage such as 25%.") }
        return isPercentage ? number / 100 : number
    }

    /// The longest prefix of a text within a number of bytes in UTF-8.
    static func shortened(_ text: String, to length: Int) -> String {
        guard text.utf8.count > length else { return text }
        var result = ""
        var count = 0
        for character in text {
            count += character.utf8.count
            guard count <= length else { break }
            result.append(character)
        }
        return result
    }
}
