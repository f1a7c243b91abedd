@_spi(Baton) import BatonJSON

/// The description of the interface in OpenAPI 3.1, made of its routes.
struct OpenAPI: Sendable {
    let routes: [Route]
    /// The version of the coordinator's program.
    let version: String

    /// The document.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("openapi", "3.1.0")
        writer.key("info")
        writer.beginObject()
        writer.member("title", "Baton")
        writer.member("version", version)
        writer.endObject()
        writer.key("paths")
        writer.beginObject()
        var paths: [RoutePath] = []
        for route in routes where !paths.contains(route.path) { paths.append(route.path) }
        for path in paths {
            writer.key(path.description)
            writer.beginObject()
            if !path.values.isEmpty { write(path.values, to: &writer) }
            for route in routes where route.path == path { write(route, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
        writer.key("components")
        writeComponents(to: &writer)
        writer.endObject()
        return writer.bytes
    }

    private func write(_ values: [RouteValue], to writer: inout JSONWriter) {
        writer.key("parameters")
        writer.beginArray()
        for value in values {
            writer.beginObject()
            writer.member("name", value.rawValue)
            writer.member("in", "path")
            writer.member("required", true)
            writer.member("description", value.meaning)
            writer.key("schema")
            writer.beginObject()
            if value == .job {
                writer.member("type", "integer")
                writer.member("minimum", 1)
                writer.member("maximum", UInt32.max)
            } else {
                writer.member("type", "string")
                writer.member("minLength", 1)
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ route: Route, to writer: inout JSONWriter) {
        writer.key(route.method.rawValue.lowercased())
        writer.beginObject()
        writer.member("summary", route.summary)
        if !route.query.isEmpty {
            writer.key("parameters")
            writer.beginArray()
            for parameter in route.query { write(parameter, to: &writer) }
            writer.endArray()
        }
        if route.isActing {
            writer.key("requestBody")
            writer.beginObject()
            writer.member("required", true)
            writer.key("content")
            writeContent("application/json", schema: "object", to: &writer)
            writer.endObject()
        }
        writer.key("responses")
        writer.beginObject()
        writer.key(route.success)
        writer.beginObject()
        writer.member("description", route.summary)
        writer.key("content")
        let type = String(route.answer.type.prefix { $0 != ";" })
        writeContent(type, schema: route.answer == .json ? "object" : "string", to: &writer)
        writer.endObject()
        writer.key("default")
        writer.beginObject()
        writer.member("$ref", "#/components/responses/error")
        writer.endObject()
        writer.endObject()
        if !route.isFree {
            writer.key("security")
            writer.beginArray()
            writer.beginObject()
            writer.member("token", strings: [])
            writer.endObject()
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ parameter: QueryParameter, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", parameter.name)
        writer.member("in", "query")
        writer.member("description", parameter.meaning)
        writer.key("schema")
        writer.beginObject()
        if parameter.isRepeatable {
            writer.member("type", "array")
            writer.key("items")
            writer.beginObject()
        }
        switch parameter.form {
        case .integer(let range):
            writer.member("type", "integer")
            writer.member("minimum", range.lowerBound)
            if range.upperBound < .max { writer.member("maximum", range.upperBound) }
        case .words(let words):
            writer.member("type", "string")
            writer.member("enum", strings: words)
        case .text(let most):
            writer.member("type", "string")
            writer.member("minLength", 1)
            writer.member("maxLength", most)
        case .moment:
            writer.member("type", "string")
            writer.member("format", "date-time")
        }
        if parameter.isRepeatable { writer.endObject() }
        writer.endObject()
        writer.endObject()
    }

    private func writeContent(_ type: String, schema: String, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key(type)
        writer.beginObject()
        writer.key("schema")
        writer.beginObject()
        writer.member("type", schema)
        writer.endObject()
        writer.endObject()
        writer.endObject()
    }

    private func writeComponents(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("securitySchemes")
        writer.beginObject()
        writer.key("token")
        writer.beginObject()
        writer.member("type", "http")
        writer.member("scheme", "bearer")
        writer.endObject()
        writer.endObject()
        writer.key("responses")
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.member("description", "What happened, to what, and what to do.")
        writer.key("content")
        writer.beginObject()
        writer.key("application/json")
        writer.beginObject()
        writer.key("schema")
        writer.beginObject()
        writer.member("$ref", "#/components/schemas/error")
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.key("schemas")
        writer.beginObject()
        writer.key("error")
        writeErrorSchema(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private func writeErrorSchema(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("type", "object")
        writer.member("required", strings: ["error"])
        writer.key("properties")
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.member("type", "object")
        writer.member("required", strings: ["code", "message", "path"])
        writer.key("properties")
        writer.beginObject()
        for name in ["code", "message"] {
            writer.key(name)
            writer.beginObject()
            writer.member("type", "string")
            writer.endObject()
        }
        writer.key("path")
        writer.beginObject()
        writer.member("type", "array")
        writer.key("items")
        writer.beginObject()
        writer.member("type", "string")
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
        writer.endObject()
    }
}
