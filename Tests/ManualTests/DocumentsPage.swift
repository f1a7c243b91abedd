@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
import Foundation

/// The page of the JSON documents: the keys from the declarations in `Sources/Documents`, the examples from samples.
struct DocumentsPage {
    /// A kind of document with its example.
    struct Section {
        /// The heading.
        var title: String
        /// The sentences below the heading.
        var text: String
        /// The type in `Sources/Documents`, nested types with a dot.
        var type: String
        /// Further types whose properties are members of the same object.
        var membersOf: [String] = []
        /// Whether a key without a value is absent, instead of null.
        var omitsMissing = false
        /// Examples, as JSON texts.
        var examples: [String]
    }

    /// The declarations of the documents.
    let declarations = DocumentDeclarations()

    /// The page's text.
    var text: String {
        var text = """
            # JSON documents

            Every document that a command prints with `--json`, with its keys and an example.

            ## Overview

            <!-- Made from Sources/Documents by Tests/ManualTests: change the doc comments there, or the samples, not this page. -->

            With `--json` a command prints one document on the standard output, in one line. `watch` and `log --follow` print one document a line.
            The keys below are stable: later versions may add keys, and take none away. All keys of a document are always there, in this order;
            null stands for a missing value. The exceptions are events and the reasons of `explain`, which have the keys of their kind alone, and the advice of an error.

            A reader with a viewer's key sees the state of operations, but not what they do and return. For such a reader `command`, `commands`,
            `argument`, `item`, `progressMessage`, `onFinish`, `cwd`, `stdin` and the `digest` of files are null, events of progress have no `message`, in groups of failures `items`, `line` and `stderr`, and a general sentence stands for a `message` or `reason` that could
            quote them. Values of environment variables are shown to nobody.

            Times are texts in UTC such as `2026-11-21T03:00:00.000678Z`. Addresses are texts such as `12/3`, jobs are numbers.


            """
        text += Self.sections.map(rendered).joined(separator: "\n")
        text += "\n## Codes of refusals\n\n"
        var table = MarkdownTable("Code", "Meaning")
        for (code, comment) in declarations.cases(of: "Refusal.Code") {
            table.append(code.code, Self.linked(comment.markdown))
        }
        return text + table.text + "\n" + Self.furtherDocuments
    }

    /// The keys of a section, in the order of their declaration: the stored properties that an example shows.
    func keys(of section: Section) -> [DocumentDeclarations.Property] {
        (section.membersOf + [section.type]).flatMap { declarations.properties(of: $0) }
            .filter { property in section.examples.contains { $0.contains("\"\(property.name)\":") } }
    }

    private func rendered(_ section: Section) -> String {
        var text = "## \(section.title)\n\n\(section.text)\n\n"
        var table = MarkdownTable("Key", "Value", "Meaning")
        for property in keys(of: section) {
            let type = section.omitsMissing ? property.type.replacingOccurrences(of: "?", with: "") : property.type
            table.append(property.name.code, Self.value(type), Self.linked(property.comment.markdown))
        }
        text += table.text + "\n"
        return text + "```json\n" + section.examples.joined(separator: "\n") + "\n```\n"
    }

    /// The documents without a declaration of their own.
    private static let furtherDocuments = """
        ## Output

        `baton result` prints `operation`, `result` (a text) and `encoding`: `utf-8`, or `base64` for a result that is not text. With
        `--all` it prints such a document for each result, a line each, with the `name` and the `item` of the operation.

        ```json
        {"operation":"12/1","result":"done","encoding":"utf-8"}
        ```

        `baton fetch` prints a document for each file, a line each: `operation`, `path`, `size` and `digest` as `baton files` has them, `file` (where
        it is on this host) and `missing` (why it is not here, in a sentence); one of the last two is null.

        ```json
        {"operation":"12/1","path":"out.bam","size":20480,"digest":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","file":"results/out.bam","missing":null}
        ```

        `baton log` prints a document for each piece of output, a line each: `operation`, `attempt`, `stream` (`stdout` or `stderr`), `offset`
        (the number of bytes of the stream before it) and `text`. A piece may end within a line. `baton run --output` prints the same documents.
        In place of bytes that are no longer kept, or whose worker is not connected, stands a document with their number as `missing`. In place of
        the output of an attempt that was lost with its worker stands one with `lost` (true): nobody knows how much that was.

        ```json
        {"operation":"12/1","attempt":1,"stream":"stdout","offset":0,"text":"hello\\n"}
        ```

        `baton run` and `baton attach` print their output in the same way. If somebody leaves them, their last line is:

        ```json
        {"job":12,"detached":true}
        ```

        Of a command that `baton run --job` runs in an open job, it has `operation` (`"12/7"`) in between.

        `baton bench` prints the document that <doc:Figures> describes.

        ## Traces

        `baton trace` prints Chrome's trace JSON. `otherData` has `job`, `name`, `coordinator`, `version`, `submittedAt`, `attempts` (of the job) and
        `shown` (in the trace). Times (`ts`, `dur`) are in microseconds since the submission. Each attempt is an event `X`: its `pid` is that of its
        worker, its `tid` a slot from 1, its `name` that of the operation, its `cat` the end (`succeeded`, `failed`, `cancelled`, `lost`, `stopped` or `executing`),
        and `outcome` is null for an attempt that did not end its operation. The process 0 is the job. Events `C` count, `i` are losses and retries, `s` and
        `f` are the ends of dependencies, and `M` are names.

        ```json
        {"ph":"X","name":"sepia","cat":"succeeded","args":{"operation":"12/3","attempt":1,"queue":"default","outcome":"succeeded","reason":null,"exitStatus":0,"waitedSeconds":0.25,"critical":true},"ts":250000,"dur":1500000,"pid":1,"tid":1}
        ```

        """

    /// A text in which the numbers of statements lead to the contract.
    private static func linked(_ text: String) -> String {
        TestCatalogue.statements(in: text).reduce(text) { text, statement in
            text.replacingOccurrences(of: "(\(statement))", with: "(<doc:Contract#\(statement)>)")
        }
    }

    /// The words for a Swift type.
    private static func value(_ type: String) -> String {
        if type.hasSuffix("?") { return value(String(type.dropLast())) + " or null" }
        if type.hasPrefix("["), type.hasSuffix("]") {
            let element = String(type.dropFirst().dropLast())
            if let colon = element.range(of: ": ") {
                return "object of \(plural(value(String(element[colon.upperBound...]))))"
            }
            return "array of \(plural(value(element)))"
        }
        if let words = words[type] { return "one of " + words.map(\.code).joined(separator: ", ") }
        switch type {
        case "String": return "text"
        case "Bool": return "true or false"
        case "OperationID": return "address"
        case "JobNumber": return "job"
        case "Timestamp": return "time"
        case "JobCounts": return "counts"
        case "Priority", "Double", "Int": return "number"
        case _ where type.hasPrefix("Int") || type.hasPrefix("UInt"): return "number"
        default: return "object"
        }
    }

    private static func plural(_ word: String) -> String {
        switch word {
        case "address": "addresses"
        case "counts": "counts"
        case _ where word.hasSuffix(" or null"): plural(String(word.dropLast(" or null".count))) + " and nulls"
        case _ where word.hasPrefix("array of"): "arrays" + word.dropFirst("array".count)
        default: word + "s"
        }
    }

    /// The words of the enumerations.
    private static let words: [String: [String]] = [
        "OperationState": OperationState.allCases.map(\.description),
        "Outcome": Outcome.allCases.map(\.description),
        "Reason.Code": Reason.Code.allCases.map(\.rawValue),
        "QualityOfService": QualityOfService.allCases.map(\.description),
        "ScheduleOverlap": ScheduleOverlap.allCases.map(\.description),
        "ScheduleCatchUp": ScheduleCatchUp.allCases.map(\.description),
        "ScheduleSkip.Reason": ScheduleSkip.Reason.allCases.map(\.rawValue),
        "DependencyCondition": DependencyCondition.allCases.map(\.description),
        "RestartPolicy": RestartPolicy.allCases.map(\.description),
        "Role": HealthDocument.Role.allCases.map(\.rawValue),
        "Status": DoctorDocument.Status.allCases.map(\.rawValue),
        "Level": JobGraphDocument.Level.allCases.map(\.rawValue),
        "State": WorkersDocument.State.allCases.map(\.rawValue),
        "WorkersDocument.State": WorkersDocument.State.allCases.map(\.rawValue),
        "FileDocument.State": FileDocument.State.allCases.map(\.rawValue),
        "Security": StatusDocument.Security.allCases.map(\.rawValue),
        "Kind": WaitReason.Kind.allCases.map(\.rawValue),
        "WaitReason.Kind": WaitReason.Kind.allCases.map(\.rawValue),
        "End": WorkerDocument.Ended.End.allCases.map(\.rawValue),
    ]
}
