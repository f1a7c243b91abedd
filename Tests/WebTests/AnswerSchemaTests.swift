@_spi(Baton) import BatonJSON
@_spi(Baton) import BatonWire
import Foundation
import Testing

@_spi(Baton) @testable import BatonWeb

@Suite("The schemas of the interface's description", .timeLimit(.minutes(60)))
struct AnswerSchemaTests {
    typealias Value = JSONValue

    private let schemas: AnswerSchemas

    init() throws { schemas = try AnswerSchemas.own.get() }

    /// Bodies that routes need.
    static let bodies = [
        "/api/v1/jobs": #"{"operations":[{"command":"true"}]}"#,
        "/api/v1/schedules/{schedule}": #"{"operations":[{"command":"true"}]}"#,
        "/api/v1/operations/cancel": #"{"operations":["12/3"]}"#,
        "/api/v1/operations/hold": #"{"operations":["12/3"]}"#,
        "/api/v1/operations/release": #"{"operations":["12/3"]}"#,
        "/api/v1/jobs/{job}/retry": #"{"again":true}"#,
        "/api/v1/operations/pause": #"{"operations":["12/3"]}"#,
        "/api/v1/operations/resume": #"{"operations":["12/3"]}"#,
        "/api/v1/operations/signal": #"{"operations":["12/3"],"signal":"USR1"}"#,
        "/api/v1/operations/{job}/{operation}/signal": #"{"signal":"USR1"}"#,
        "/api/v1/operations/retry": #"{"operations":["12/3"],"again":true}"#,
        "/api/v1/operations/{job}/{operation}/priority": #"{"priority":4}"#,
    ]

    /// The routes that answer with a document.
    private static let documented = Route.all.filter {
        $0.answer == .json && $0.path.description != "/api/v1/jobs/{job}/trace"
    }

    @Test(
        "Each route's answer is as its schema says, with all that may be missing and without",
        arguments: [true, false]
    )
    func answers(isFull: Bool) async throws {
        #expect(Self.documented.count > 30)
        for route in Self.documented {
            let web = try TestInterface(PreparedCluster { SampleAnswers(isFull: isFull).reply(to: $0.request) })
            let body = route.method == .patch ? #"{"maxConcurrent":4}"# : Self.bodies[route.path.description] ?? "{}"
            // The interface of tests holds each answer against its schema.
            let answer = try await web.ask(route.method.rawValue, route.sampleTarget, route.isActing ? body : "")
            #expect("\(answer.status)" == route.success, "\(route.path): \(answer.text)")
        }
    }

    @Test("An array is one of the answers of an operation")
    func array() async throws {
        let web = try TestInterface(
            PreparedCluster { SampleAnswers(isFull: true, isArray: true).reply(to: $0.request) }
        )
        #expect(try await web.ask("GET", "/api/v1/operations/12/tile").text.hasPrefix(#"{"array":"#))
    }

    @Test("A queue says how many of its operations are not listed")
    func cutQueue() async throws {
        let web = try TestInterface(PreparedCluster { SampleAnswers(isFull: true).reply(to: $0.request) })
        // The queue has three unfinished operations.
        #expect(
            try await web.ask("GET", "/api/v1/queues/images").text.contains(#""operations":["12/3"],"more":2,"seq":"#)
        )
    }

    @Test("Every schema has members, and no schema is missing")
    func complete() throws {
        guard case .object(let named)? = schemas.description["components"]?["schemas"] else {
            Issue.record("no schemas")
            return
        }
        #expect(named.count > 30)
        for (name, schema) in named {
            guard case .object(let properties)? = schema["properties"] else {
                Issue.record("\(name) has no properties")
                continue
            }
            #expect(!properties.isEmpty, "\(name)")
        }
        for route in Route.all where route.answer == .json { #expect(route.document != nil, "\(route.path)") }
    }

    @Test("A wrong answer is told: a missing key, an unknown one, a wrong type, a word that is none")
    func wrong() throws {
        let schema = schemas.description["components"]?["schemas"]?["QueueSummary"]
        let good =
            #"{"queue":"q","maxConcurrent":null,"suspended":false,"qos":null,"count":3,"executing":1,"total":null,"#
            + #""completed":2,"progress":0.5,"rate":"10/s"}"#
        #expect(try schemas.objections(to: Array(good.utf8), with: schema) == [])
        for (part, other) in [
            (#""count":3,"#, ""), (#""count":3"#, #""count":3,"new":1"#), (#""count":3"#, #""count":"3""#),
            (#""count":3"#, #""count":null"#), (#""qos":null"#, #""qos":"fast""#),
            (#""completed":2"#, #""completed":-2"#),
            (#""suspended":false"#, #""suspended":0"#), (#""count":3"#, #""count":3.5"#),
        ] {
            let bad = good.replacing(part, with: other)
            #expect(bad != good)
            #expect(try !schemas.objections(to: Array(bad.utf8), with: schema).isEmpty, "\(bad)")
        }
    }

    @Test("Enumerations are those of the code, and keys that are absent without a value are not required")
    func forms() {
        let named = schemas.description["components"]?["schemas"]
        let state = named?["Workers.Worker"]?["properties"]?["state"]?["enum"]
        #expect(state == .array(["alive", "suspect", "failing", "draining", "lost", "left"].map { .string($0) }))
        guard case .array(let required)? = named?["Workers.Worker"]?["required"] else {
            Issue.record("no required keys")
            return
        }
        #expect(required.contains(.string("memory")) && !required.contains(.string("reason")))
        #expect(named?["Workers.Worker"]?["properties"]?["reason"]?["type"] == .string("string"))
    }

    @Test("The description says that states and outcomes add to each other, as no other conditions do")
    func union() throws {
        for path in ["/api/v1/jobs", "/api/v1/jobs/{job}/operations"] {
            guard case .array(let list)? = schemas.description["paths"]?[path]?["get"]?["parameters"] else {
                Issue.record("no parameters of \(path)")
                continue
            }
            var united: [String] = []
            for parameter in list {
                guard case .string(let name)? = parameter["name"], case .string(let text)? = parameter["description"]
                else { continue }
                if text.contains("a union with") { united.append(name) }
            }
            #expect(united == ["state", "outcome"], "\(path)")
        }
    }

    @Test("Headers are parameters where routes take them, and bodies have the members that are taken")
    func requests() throws {
        func names(_ path: String, _ method: String) -> [String] {
            guard case .array(let list)? = schemas.description["paths"]?[path]?[method]?["parameters"] else {
                return []
            }
            return list.compactMap { parameter in
                guard parameter["in"] == .string("header"), case .string(let name)? = parameter["name"] else {
                    return nil
                }
                return name
            }
        }
        for path in ["/api/v1/jobs", "/api/v1/jobs/{job}/retry", "/api/v1/operations/retry"] {
            #expect(names(path, "post") == ["Idempotency-Key"], "\(path)")
        }
        for path in ["/api/v1/events", "/api/v1/operations/{job}/{operation}/log/follow"] {
            #expect(names(path, "get") == ["Last-Event-ID"], "\(path)")
        }
        #expect(names("/api/v1/jobs/{job}/cancel", "post") == [])
        let scheme = schemas.description["components"]?["securitySchemes"]?["token"]
        #expect(scheme?["type"] == .string("http") && scheme?["scheme"] == .string("bearer"))
        let body = schemas.description["paths"]?["/api/v1/operations/{job}/{operation}/priority"]?["post"]?[
            "requestBody"
        ]
        let schema = body?["content"]?["application/json"]?["schema"]
        #expect(
            schema?["required"] == .array([.string("priority")]) && schema?["additionalProperties"] == .truth(false)
        )
    }

    @Test("A body is taken if, and only if, its schema admits it")
    func bodies() async throws {
        let web = try TestInterface(PreparedCluster { SampleAnswers(isFull: true).reply(to: $0.request) })
        for (method, target, path, bodies) in [
            (
                "PATCH", "/api/v1/queues/q", "/api/v1/queues/{queue}",
                [
                    "{}", #"{"qos":"utility"}"#, #"{"qos":null}"#, #"{"maxConcurrent":null}"#, #"{"maxConcurrent":-1}"#,
                    #"{"x":1}"#,
                ]
            ),
            (
                "POST", "/api/v1/jobs/12/retry", "/api/v1/jobs/{job}/retry",
                [
                    #"{"again":true}"#, #"{"again":1}"#, #"{"group":1,"again":true}"#, #"{"group":0}"#,
                    #"{"group":1.5}"#,
                    #"{"operations":[]}"#,
                    #"{"operations":["12/3"],"cancelled":true,"again":true}"#, #"{"cancelled":1}"#,
                ]
            ),
            (
                "POST", "/api/v1/workers/w1/stop", "/api/v1/workers/{worker}/stop",
                ["{}", #"{"now":true}"#, #"{"now":"yes"}"#]
            ),
        ] {
            let operation = schemas.description["paths"]?[path]?[method.lowercased()]
            let schema = operation?["requestBody"]?["content"]?["application/json"]?["schema"]
            for body in bodies {
                let isAdmitted = try schemas.objections(to: Array(body.utf8), with: schema).isEmpty
                let answer = try await web.ask(method, target, body)
                #expect((answer.status < 300) == isAdmitted, "\(target) \(body): \(answer.text)")
            }
        }
    }
}
