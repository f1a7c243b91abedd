@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

/// A document of any type, made from its schema: every text in it is the same, and whatever may be missing is there.
///
/// A member that a document gets later is in the sample without a line here.
struct SampleOfSchema {
    /// The deepest place at which a list, a table or a value that may be missing still has something.
    private static let deepest = 7

    private let table: SchemaTable
    private let text: String
    /// Which of several words and forms to take; each number gives another sample.
    private let variant: Int

    /// The document in JSON.
    static func document<D: Document>(_ type: D.Type, text: String, variant: Int) -> [UInt8] {
        let table = SchemaTable()
        let schema = D.schema(in: table)
        var writer = JSONWriter()
        SampleOfSchema(table: table, text: text, variant: variant).write(schema, 0, to: &writer)
        return writer.bytes
    }

    private func write(_ schema: Schema, _ depth: Int, to writer: inout JSONWriter) {
        switch schema {
        case .truth: writer.value(variant.isMultiple(of: 2))
        case .whole(let least, _): writer.value(max(least ?? 1, 1))
        case .numbers(let numbers): writer.value(numbers.isEmpty ? 0 : numbers[variant % numbers.count])
        case .number: writer.value(0.5)
        case .text, .anything: writer.value(text)
        case .words(let words): writer.value(words.isEmpty ? "" : words[variant % words.count])
        case .moment: writer.value("2026-11-21T03:00:00.000678Z")
        case .address: writer.value("12/0")
        case .list(let element, _):
            writer.beginArray()
            if depth < Self.deepest { write(element, depth + 1, to: &writer) }
            writer.endArray()
        case .table(let value):
            writer.beginObject()
            if depth < Self.deepest {
                writer.key(text)
                write(value, depth + 1, to: &writer)
            }
            writer.endObject()
        case .object(let members), .closed(let members, _):
            writer.beginObject()
            write(members, depth, to: &writer)
            writer.endObject()
        case .named(let name): write(table.schemas[name] ?? .anyObject, depth + 1, to: &writer)
        case .nullable(let inner):
            // A page that names a next one would be followed by that page for ever.
            if case .whole = inner { return writer.null() }
            if depth < Self.deepest { write(inner, depth, to: &writer) } else { writer.null() }
        case .anyOf(let forms): write(forms.first { $0 == .text } ?? forms[variant % forms.count], depth, to: &writer)
        case .extended(let base, let members):
            writer.beginObject()
            if case .named(let name) = base, case .object(let inherited)? = table.schemas[name] {
                write(inherited, depth, to: &writer)
            }
            write(members, depth, to: &writer)
            writer.endObject()
        case .anyObject:
            writer.beginObject()
            writer.endObject()
        }
    }

    private func write(_ members: [Schema.Member], _ depth: Int, to writer: inout JSONWriter) {
        for member in members {
            // A number that may be absent would be the next page, too.
            if !member.isRequired, case .whole = member.schema { continue }
            writer.key(member.name)
            write(member.schema, depth, to: &writer)
        }
    }
}
