@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// What a graph file of a job leaves out.
struct GraphOmissions {
    /// The most variables that a sentence names.
    private static let mostNames = 20

    /// The arrays whose elements have other numbers in the file.
    var mixedArrays = 0
    /// Whether the job was sent files that operations find in their directory.
    var hasSentFiles = false
    private var variables: Set<String> = []
    private var inputs = 0

    /// Notes environment variables whose values are left out.
    mutating func note(_ names: [String]) { variables.formUnion(names) }

    /// Notes what is left out of an entry.
    mutating func note(_ entry: GraphDocument.Entry) {
        note(entry.environment)
        if entry.leavesOutInput { inputs += 1 }
    }

    /// A sentence for each kind of omission; empty if the file is complete.
    var sentences: [String] {
        var sentences: [String] = []
        if !variables.isEmpty {
            let names = variables.sorted()
            let shown = names.prefix(Self.mostNames).map(\.asShown).joined(separator: ", ")
            let more = names.count > Self.mostNames ? " and \(names.count - Self.mostNames) more" : ""
            sentences.append(
                "The file leaves out the values of environment variables: \(shown)\(more). Give them with \"submit --env\"."
            )
        }
        if inputs > 0 {
            sentences.append(
                "The file leaves out the standard input of \(Self.count(inputs, "operation")): it is too long, or no text."
            )
        }
        if hasSentFiles {
            sentences.append(
                "The file leaves out the files that were sent with the job: give them with \"submit --send\"."
            )
        }
        if mixedArrays > 0 {
            sentences.append(
                "The elements of \(Self.count(mixedArrays, "array")) have the numbers 0, 1, 2 and so on in the file, instead of "
                    + "their own."
            )
        }
        return sentences
    }

    private static func count(_ number: Int, _ noun: String) -> String {
        number == 1 ? "1 \(noun)" : "\(number) \(noun)s"
    }
}
