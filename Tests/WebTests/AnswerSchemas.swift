@_spi(Baton) import BatonJSON
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

/// The schemas of the description of the interface, against which answers are held.
struct AnswerSchemas: Sendable {
    typealias Value = JSONValue

    /// The schemas of this program, made once.
    static let own = Result { try AnswerSchemas() }

    /// The description.
    let description: Value
    private let router = Router(routes: Route.all)

    init() throws {
        let json = OpenAPI(routes: Route.all, version: "test").json
        description = try #require(JSONValue(String(decoding: json, as: UTF8.self)))
    }

    /// What is wrong with an answer of JSON; empty for an answer that is as described, and for one without JSON in memory.
    func objections(to response: HTTPResponse, of head: HTTPRequestHead) throws -> [String] {
        guard response.headers["Content-Type"] == "application/json", case .bytes(let bytes) = response.body,
            head.path != ["api", "v1", "openapi.json"]
        else { return [] }
        return try objections(to: bytes, with: schema(of: response.status, head))
    }

    /// The faults in the headers of an answer: headers without a description, and required headers that are missing.
    ///
    /// The headers of every answer, such as those for the safety of browsers, are not described.
    func headerObjections(to response: HTTPResponse, of head: HTTPRequestHead) -> [String] {
        let described: Value?
        if response.status >= 400 {
            described = description["components"]?["responses"]?["error"]?["headers"]
        } else {
            guard case .route(let route, _) = router.find(head) else { return [] }
            let operation = description["paths"]?[route.path.description]?[route.method.rawValue.lowercased()]
            described = operation?["responses"]?["\(response.status)"]?["headers"]
        }
        var known: [String: Value] = [:]
        if case .object(let members)? = described { known = members }
        let names = response.headers.fields.map(\.name)
        let missing = known.filter { $0.value["required"] == .truth(true) && !names.contains($0.key) }
        let wrong = response.headers.fields.filter { known[$0.name]?["schema"]?["type"] == .string("integer") }
            .filter { UInt64($0.value) == nil }
        return names.filter { known[$0] == nil && !Self.usual.contains($0) }.map { "\($0) is not described" }
            + missing.keys.map { "\($0) is missing" } + wrong.map { "\($0.name): \($0.value)" }
            + names.filter { name in names.count { $0 == name } > 1 }.map { "\($0) is there twice" }
    }

    /// The headers of every answer, and of every picture.
    static let usual = [
        "Content-Type", "X-Content-Type-Options", "Referrer-Policy", "Cross-Origin-Resource-Policy", "Cache-Control",
        "Content-Security-Policy",
    ]

    /// The schema of an answer; that of refusals for a request without a route.
    private func schema(of status: Int, _ head: HTTPRequestHead) throws -> Value? {
        let error = description["components"]?["responses"]?["error"]?["content"]?["application/json"]?["schema"]
        guard status < 400, case .route(let route, _) = router.find(head) else { return error }
        let operation = description["paths"]?[route.path.description]?[route.method.rawValue.lowercased()]
        return operation?["responses"]?["\(status)"]?["content"]?["application/json"]?["schema"]
    }

    /// What is wrong with a text of JSON.
    func objections(to json: [UInt8], with schema: Value?) throws -> [String] {
        let value = try #require(JSONValue(String(decoding: json, as: UTF8.self)))
        guard let schema else { return ["There is no schema."] }
        return objections(to: value, schema, at: "")
    }

    /// What is wrong with a value; a member that the schema does not know is, although later versions may add members.
    private func objections(to value: Value, _ schema: Value, at path: String) -> [String] {
        if case .string(let reference)? = schema["$ref"] {
            let name = reference.split(separator: "/").last.map(String.init) ?? ""
            guard let named = description["components"]?["schemas"]?[name] else { return ["\(path): no \(reference)"] }
            return objections(to: value, named, at: path)
        }
        if case .array(let schemas)? = schema["anyOf"] {
            let results = schemas.map { objections(to: value, $0, at: path) }
            // The nearest one says most.
            return results.contains { $0.isEmpty } ? [] : results.min { $0.count < $1.count } ?? ["\(path): no schema"]
        }
        if case .array(let parts)? = schema["allOf"] { return objections(to: value, allOf: parts, at: path) }
        guard case .string(let type)? = schema["type"] else { return [] }
        switch (type, value) {
        case ("null", .null), ("boolean", .truth): return []
        case ("number", .number), ("number", .integer): return []
        case ("integer", .integer(let number)):
            return bounds(of: number, schema, at: path) + words(of: value, schema, at: path)
        case ("string", .string(let text)):
            let isMoment = schema["format"] != .string("date-time") || text.wholeMatch(of: Self.moment) != nil
            let isAddress = schema["pattern"] == nil || text.wholeMatch(of: /[0-9]+\/[0-9]+/) != nil
            return (isMoment && isAddress ? [] : ["\(path): \(text)"]) + words(of: value, schema, at: path)
        case ("array", .array(let elements)):
            if case .integer(let least)? = schema["minItems"], Int64(elements.count) < least {
                return ["\(path): fewer than \(least) elements"]
            }
            return elements.flatMap { objections(to: $0, schema["items"] ?? .null, at: path + "[]") }
        case ("object", .object(let members)): return objections(to: members, of: schema, at: path)
        default: return ["\(path): \(value) is no \(type)"]
        }
    }

    /// What is wrong with an object that each of two schemas describes in part: the last one its further members.
    private func objections(to value: Value, allOf parts: [Value], at path: String) -> [String] {
        guard parts.count == 2, case .object(let further)? = parts[1]["properties"], case .object(var members) = value
        else { return ["\(path): no object of two parts"] }
        let rest = members.filter { further[$0.key] != nil }
        for name in further.keys { members[name] = nil }
        return objections(to: .object(members), parts[0], at: path) + objections(to: .object(rest), parts[1], at: path)
    }

    private static var moment: Regex<Substring> { /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/ }

    private func objections(to members: [String: Value], of schema: Value, at path: String) -> [String] {
        var found: [String] = []
        if case .integer(let least)? = schema["minProperties"], Int64(members.count) < least {
            found.append("\(path) has fewer than \(least) members")
        }
        if case .array(let required)? = schema["required"] {
            for case .string(let name) in required where members[name] == nil {
                found.append("\(path).\(name) is missing")
            }
        }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let others = schema["additionalProperties"].flatMap { $0 == .truth(false) ? nil : $0 }
            if let known = schema["properties"]?[name] ?? others {
                found += objections(to: value, known, at: "\(path).\(name)")
            } else if schema["properties"] != nil {
                found.append("\(path).\(name) is not described")
            }
        }
        return found
    }

    private func bounds(of number: Int64, _ schema: Value, at path: String) -> [String] {
        if case .integer(let least)? = schema["minimum"], number < least { return ["\(path): \(number)"] }
        if case .integer(let most)? = schema["maximum"], number > most { return ["\(path): \(number)"] }
        return []
    }

    private func words(of value: Value, _ schema: Value, at path: String) -> [String] {
        guard case .array(let words)? = schema["enum"], !words.contains(value) else { return [] }
        return ["\(path): \(value) is none of \(words)"]
    }
}

extension JSONValue {
    /// A member of an object; nil for any other value.
    subscript(name: String) -> JSONValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }
}

extension Route {
    /// A target of the route, about what ``SampleAnswers`` tells of.
    var sampleTarget: String {
        let target = path.description.replacing("{job}", with: "12").replacing("{operation}", with: "3")
            .replacing("{queue}", with: "images").replacing("{worker}", with: "w1")
            .replacing("{schedule}", with: "nightly").replacing("{path}", with: "out/a.bam").replacing(
                "{asset}",
                with: "page.css"
            )
        switch path.description {
        case "/api/v1/search": return target + "?q=a"
        case "/api/v1/schedules/{schedule}" where isActing: return target + "?cron=%40daily"
        case "/api/v1/live": return target + "?topics=overview"
        default: return target
        }
    }
}
