@_spi(Baton) import BatonArguments
@_spi(Baton) import BatonOperations

/// The options that make an array; several stand for all combinations, in the order given.
enum ArrayOption: String, CaseIterable {
    case array
    case each
    case eachLine = "each-line"
    case eachRow = "each-row"
    case eachLine0 = "each-line0"

    /// The declaration of the option.
    var declaration: DeclaredOptions.Declaration {
        switch self {
        case .array:
            DeclaredOptions.Declaration(
                name: rawValue,
                help: ArgumentHelp(
                    """
                    Create one operation for each number of some ranges; {} in the command stands for the number. With %20 behind \
                    the ranges, at most 20 of them execute at once.
                    """,
                    valueName: "first-last:step,..."
                ),
                check: { text in _ = try ArrayValues(range: ArrayLimit.split(text).ranges) }
            )
        case .each:
            DeclaredOptions.Declaration(
                name: rawValue,
                help: ArgumentHelp(
                    """
                    Create one operation for each item; {} stands for the item. With several of these options, one operation for \
                    each combination: {1} stands for the item of the first option.
                    """,
                    valueName: "item,item,..."
                ),
                check: { text in
                    if text.isEmpty { throw ValidationError("Please provide items, such as a,b,c.") }
                }
            )
        case .eachLine:
            DeclaredOptions.Declaration(
                name: rawValue,
                help: ArgumentHelp(
                    "Create one operation for each line of a file; {} stands for the line.",
                    valueName: "file"
                ),
                completion: .file()
            )
        case .eachRow:
            DeclaredOptions.Declaration(
                name: rawValue,
                help: ArgumentHelp(
                    """
                    Create one operation for each row of a CSV or TSV file with a header; {lr} stands for the field in column lr, \
                    {2} for that in the second column.
                    """,
                    valueName: "file"
                ),
                completion: .file(extensions: ["csv", "tsv"])
            )
        case .eachLine0:
            DeclaredOptions.Declaration(
                name: rawValue,
                help: ArgumentHelp(
                    """
                    Create one operation for each item of a file whose items end with a zero byte, such as the output of find \
                    -print0; {} stands for the item.
                    """,
                    valueName: "file"
                ),
                completion: .file()
            )
        }
    }

    /// Whether the option reads standard input with a value of `-`.
    var readsFile: Bool { [.eachLine, .eachRow, .eachLine0].contains(self) }

    /// The items that the option gives.
    ///
    /// - Throws: ``CommandFailure`` for a file that cannot be read or has nothing to run.
    func source(_ text: String) throws -> ArraySource {
        switch self {
        case .array: return .items(try ArrayValues(range: ArrayLimit.split(text).ranges))
        case .each: return .items(.lines(try Self.checked(ItemFields.fields(of: text), "--each")))
        case .eachLine: return .items(.lines(try Self.checked(InputFile.lines(of: text), InputFile.name(text))))
        case .eachRow:
            let bytes = try InputFile.bytes(of: text)
            guard let table = String(validating: bytes, as: UTF8.self) else {
                throw CommandFailure(
                    ExitStatus.refusedInput,
                    code: "invalid",
                    "\(InputFile.name(text)) is not valid UTF-8."
                )
            }
            return .rows(try RowTable(table, name: text, subject: InputFile.name(text)))
        case .eachLine0:
            return .items(.lines(try Self.checked(InputFile.items(of: text), InputFile.name(text), "items")))
        }
    }

    private static func checked(
        _ items: [String],
        _ subject: String,
        _ noun: String = "lines"
    ) throws(CommandFailure) -> [String] {
        guard !items.isEmpty else {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "\(subject) has no \(noun), so there is nothing to run."
            )
        }
        if let line = items.firstIndex(where: { $0.utf8.contains(0) }) {
            throw CommandFailure(
                ExitStatus.refusedInput,
                code: "invalid",
                "\(subject) has a zero byte in line \(line + 1), which no program can be given."
            )
        }
        return items
    }
}
