@_spi(Baton) import BatonOperations

/// The options of a value: their number, then each option that differs from its default, in the order of the option numbers.
///
/// An option is a tag, the length of its value in bytes, and the value. The tag is twice the option's number, plus 1 if a
/// reader that does not know the option must refuse the message. A reader skips every other unknown option by its length.
extension ByteWriter {
    /// Appends the options that differ from their defaults.
    mutating func options<Owner>(of owner: Owner, in table: OptionTable<Owner>) {
        let settings = table.settings(of: owner)
        varint(settings.count)
        for (option, value) in settings {
            varint(option.number << 1 | (option.maySkip ? 0 : 1))
            var part = ByteWriter()
            part.option(value)
            blob(part.bytes)
        }
    }

    /// Appends the value of an option; the form of the option tells the reader the type.
    private mutating func option(_ value: OptionValue) {
        switch value {
        case .flag(let flag): self.flag(flag)
        case .number(let number), .thousandths(let number), .bytes(let number): zigzag(number)
        case .duration(let duration): self.value(duration)
        // Without a value, which no duration is.
        case .forever: break
        case .text(let text): bytes(of: text)
        case .data(let data): bytes(of: data)
        case .texts(let texts): list(texts) { $0.text($1) }
        case .variables(let variables): map(variables) { $0.text($1) }
        case .places(let places): map(places) { $0.text($1) }
        case .amounts(let amounts): map(amounts) { $0.zigzag($1) }
        }
    }

    /// Appends values by name, in the order of the names' bytes, so that equal values have equal encodings.
    mutating func map<Value>(_ values: [String: Value], _ write: (inout ByteWriter, Value) -> Void) {
        let sorted = values.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        list(sorted) { writer, element in
            writer.text(element.key)
            write(&writer, element.value)
        }
    }
}

extension ByteReader {
    /// Reads the options that differ from their defaults into a value with the defaults.
    ///
    /// - Throws: ``WireError`` for an unknown option that must be known, and for options in another encoding.
    @inline(__always)
    mutating func options<Owner>(
        into owner: inout Owner,
        in table: @autoclosure () -> OptionTable<Owner>
    ) throws(WireError) {
        let count = try count("the options", minimumLength: 2)
        // Nearly all of a million entries have none.
        if count > 0 { try options(count, into: &owner, in: table()) }
    }

    private mutating func options<Owner>(
        _ count: Int,
        into owner: inout Owner,
        in table: OptionTable<Owner>
    ) throws(WireError) {
        var previous = 0
        for _ in 0..<count {
            let tag = try varint("an option's tag", as: Int.self)
            let (number, mustBeKnown) = (tag >> 1, tag & 1 == 1)
            guard number > previous else { throw malformed("an option's tag", "is not above the tag before") }
            previous = number
            let length = try self.count("an option's value", minimumLength: 1)
            let end = position + length
            guard let row = table.row(numbered: number) else {
                guard !mustBeKnown else {
                    throw malformed(
                        "an option",
                        "has the number \(number), which this build does not know: upgrade this side"
                    )
                }
                try skip(length, "an option's value")
                continue
            }
            guard mustBeKnown != row.option.maySkip else {
                throw malformed(option: row.option.key, "has the tag of another option")
            }
            let value = try option(row.option.form, length: length)
            guard position == end else { throw malformed(option: row.option.key, "has another length than its value") }
            guard row.set(value, in: &owner) else {
                throw malformed(
                    option: row.option.key,
                    "has a value that is not allowed, or the default, which is left out"
                )
            }
        }
    }

    private mutating func option(_ form: OptionForm, length: Int) throws(WireError) -> OptionValue {
        switch form {
        case .flag: return .flag(try flag("an option's flag"))
        case .number, .priority: return .number(try zigzag("an option's number"))
        case .duration, .timeLimit, .deadline: return .duration(try value())
        case .durationOrForever: return length == 0 ? .forever : .duration(try value())
        case .word, .directory, .file, .outputFile, .mask: return .text(try text("an option's text", length: length))
        case .data: return .data(try blob("an option's bytes", length: length))
        case .command:
            return .texts(
                try list("an option's texts", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an option's text")
                }
            )
        case .variables:
            return .variables(
                try map("the environment") { reader throws(WireError) in try reader.text("a variable's value") }
            )
        case .picks:
            return .places(
                try map("the picked inputs") { reader throws(WireError) in try reader.text("a picked input's place") }
            )
        case .processors: return .thousandths(try zigzag("an option's number"))
        case .size: return .bytes(try zigzag("an option's size"))
        case .amounts:
            return .amounts(
                try map("the resources") { reader throws(WireError) in try reader.zigzag("a resource's amount") }
            )
        case .columns:
            return .texts(
                try list("an option's columns", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an option's column")
                }
            )
        case .conditions:
            return .texts(
                try list("an option's conditions", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an option's condition")
                }
            )
        case .patterns:
            return .texts(
                try list("an option's patterns", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an option's pattern")
                }
            )
        case .ends, .statuses:
            return .texts(
                try list("an option's ends", minimumLength: 1) { reader throws(WireError) in
                    try reader.text("an option's end")
                }
            )
        }
    }

    /// Reads values by name.
    ///
    /// - Parameter what: the values, for an error's sentence.
    /// - Throws: ``WireError`` for names in another order than that of their bytes, and for a name that occurs twice.
    mutating func map<Value>(
        _ what: StaticString,
        _ read: (inout ByteReader) throws(WireError) -> Value
    ) throws(WireError) -> [String: Value] {
        let list = try list(what, minimumLength: 2) { reader throws(WireError) in
            (key: try reader.text("a name"), value: try read(&reader))
        }
        var values = [String: Value](minimumCapacity: list.count)
        var previous: String?
        for (key, value) in list {
            if let previous, !previous.utf8.lexicographicallyPrecedes(key.utf8) {
                throw malformed(what, "is not in the order of its names")
            }
            // Names with different bytes may still be equal texts.
            guard values.updateValue(value, forKey: key) == nil else { throw malformed(what, "has a name twice") }
            previous = key
        }
        return values
    }
}
