@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonOperations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text form of options in a column: a JSON object with the options that differ from their defaults.
///
/// The keys are those of graph files. Durations are texts such as `1m30s`, or whole microseconds; flags are 0 or 1; bytes are in
/// base64. The key of
/// an option that a reader may skip without knowing the option ends with `?`.
enum OptionText {
    /// The mark behind the key of an option that may be skipped.
    private static let skippable: Character = "?"

    /// The text for some settings; nil for none.
    static func text(of settings: [(option: OperationOption, value: OptionValue)]) -> String? {
        guard !settings.isEmpty else { return nil }
        var members: [String: JSONValue] = [:]
        for (option, value) in settings {
            members[option.maySkip ? option.key + String(skippable) : option.key] = JSONValue(value)
        }
        return JSONValue.object(members).text
    }

    /// Reads the settings of a template in the row of a job.
    static func read(_ text: String, into template: inout Template) throws(SQLError) {
        for (key, json) in try members(text) {
            if let row = Template.options.row(named: key) {
                try assign(json, to: row, of: &template)
            } else {
                try assign(json, to: try known(Work.options, key), of: &template.work)
            }
        }
    }

    /// Reads the settings of an entry in the row of a job.
    static func read(_ text: String, into entry: inout Entry) throws(SQLError) {
        for (key, json) in try members(text) { try assign(json, to: try known(Entry.options, key), of: &entry) }
    }

    /// The members of the known options; unknown ones that may be skipped are left out.
    private static func members(_ text: String) throws(SQLError) -> [(key: String, json: JSONValue)] {
        guard case .object(let members)? = JSONValue(text) else { throw damaged(text) }
        var known: [(key: String, json: JSONValue)] = []
        for (key, json) in members {
            let isSkippable = key.last == skippable
            let key = isSkippable ? String(key.dropLast()) : key
            if isSkippable, !OperationOption.all.contains(where: { $0.key == key }) { continue }
            guard !known.contains(where: { $0.key == key }) else { throw damaged(text) }
            known.append((key, json))
        }
        return known
    }

    private static func known<Owner>(
        _ table: OptionTable<Owner>,
        _ key: String
    ) throws(SQLError) -> OptionTable<Owner>.Row {
        guard let row = table.row(named: key) else {
            throw .damaged(
                "an operation has the option \"\(key.asShown)\", which this version of Baton does not know here"
            )
        }
        return row
    }

    private static func assign<Owner>(
        _ json: JSONValue,
        to row: OptionTable<Owner>.Row,
        of owner: inout Owner
    ) throws(SQLError) {
        guard let value = OptionValue(json, row.option.form) else { throw senseless(json, of: row.option) }
        if let objection = row.option.form.objection(to: value) {
            throw .damaged("the option \"\(row.option.key)\" \(objection)")
        }
        guard row.assign(value, to: &owner) else { throw senseless(json, of: row.option) }
    }

    private static func senseless(_ json: JSONValue, of option: OperationOption) -> SQLError {
        .damaged("the option \"\(option.key)\" has the value \(json.text.prefix(80)), which makes no sense")
    }

    private static func damaged(_ text: String) -> SQLError {
        .damaged("\"\(text.prefix(80))\" is no list of options")
    }
}

extension JSONValue {
    /// The JSON of an option's value.
    fileprivate init(_ value: OptionValue) {
        switch value {
        case .flag(let flag): self = .integer(flag ? 1 : 0)
        case .number(let number), .thousandths(let number), .bytes(let number): self = .integer(number)
        case .duration(let duration):
            let isTypeable = duration >= .zero && duration <= .longestAllowed
            self = isTypeable ? .string(duration.text) : .integer(duration.microseconds)
        case .forever, .text: self = .string(value.description)
        case .data(let bytes): self = .string(Data(bytes).base64EncodedString())
        case .texts(let texts): self = .strings(texts)
        case .variables(let variables): self = .object(variables.mapValues { .string($0) })
        case .places(let places): self = .object(places.mapValues { .string($0) })
        case .amounts(let amounts): self = .object(amounts.mapValues { .integer($0) })
        }
    }
}

extension OptionValue {
    /// Reads a value; fails for JSON that no version of Baton wrote for an option of the form.
    fileprivate init?(_ json: JSONValue, _ form: OptionForm) {
        switch (form, json) {
        case (.flag, .integer(let number)) where number == 0 || number == 1: self = .flag(number == 1)
        case (.number, .integer(let number)), (.priority, .integer(let number)): self = .number(number)
        case (.durationOrForever, .string(Self.foreverWord)): self = .forever
        case (.duration, _), (.timeLimit, _), (.durationOrForever, _), (.deadline, _):
            switch json {
            case .integer(let microseconds) where microseconds >= 0: self = .duration(.microseconds(microseconds))
            case .string(let text):
                guard let duration = Duration(text: text) else { return nil }
                self = .duration(duration)
            default: return nil
            }
        case (.word, .string(let text)), (.directory, .string(let text)), (.file, .string(let text)),
            (.outputFile, .string(let text)), (.mask, .string(let text)):
            self = .text(text)
        case (.data, .string(let text)):
            guard let data = Data(base64Encoded: text) else { return nil }
            self = .data([UInt8](data))
        case (.processors, .integer(let number)): self = .thousandths(number)
        case (.size, .integer(let number)): self = .bytes(number)
        case (.amounts, .object(let members)):
            var amounts: [String: Int64] = [:]
            for (name, value) in members {
                guard case .integer(let amount) = value else { return nil }
                amounts[name] = amount
            }
            self = .amounts(amounts)
        case (.command, .array), (.conditions, .array), (.columns, .array), (.ends, .array), (.statuses, .array),
            (.patterns, .array):
            guard let texts = json.strings, !texts.isEmpty else { return nil }
            self = .texts(texts)
        case (.variables, .object(let members)):
            guard let variables = Self.texts(of: members) else { return nil }
            self = .variables(variables)
        case (.picks, .object(let members)):
            guard let places = Self.texts(of: members) else { return nil }
            self = .places(places)
        default: return nil
        }
    }

    private static func texts(of members: [String: JSONValue]) -> [String: String]? {
        var texts: [String: String] = [:]
        for (name, value) in members {
            guard case .string(let text) = value else { return nil }
            texts[name] = text
        }
        return texts
    }
}
