@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonJSON

/// The description of the interface in OpenAPI 3.1, made of its routes and of the documents that they answer with.
struct OpenAPI: Sendable {
    let routes: [Route]
    /// The version of the coordinator's program.
    let version: String

    /// The document.
    var json: [UInt8] {
        let table = SchemaTable()
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
            for route in routes where route.path == path { write(route, table, to: &writer) }
            writer.endObject()
        }
        writer.endObject()
        writer.key("components")
        writeComponents(table, to: &writer)
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

    private func write(_ route: Route, _ table: SchemaTable, to writer: inout JSONWriter) {
        writer.key(route.method.rawValue.lowercased())
        writer.beginObject()
        writer.member("summary", route.summary)
        if !route.query.isEmpty || !route.headers.isEmpty {
            writer.key("parameters")
            writer.beginArray()
            for parameter in route.query { write(parameter, to: &writer) }
            for header in route.headers { write(header, to: &writer) }
            writer.endArray()
        }
        if route.isActing {
            writer.key("requestBody")
            writer.beginObject()
            writer.member("required", true)
            writer.key("content")
            writeContent("application/json", route.body.schema, to: &writer)
            writer.endObject()
        }
        writer.key("responses")
        writer.beginObject()
        writer.key(route.success)
        writer.beginObject()
        writer.member("description", route.summary)
        write(route.answerHeaders, areRequired: true, to: &writer)
        writer.key("content")
        let type = String(route.answer.type.prefix { $0 != ";" })
        let schema = route.document?.schema(in: table) ?? (route.answer == .json ? .anyObject : .text)
        writeContent(type, schema, to: &writer)
        writer.endObject()
        if let part = route.partDescription {
            writer.key("206")
            writer.beginObject()
            writer.member("description", part)
            write(route.answerHeaders + [.contentRange], areRequired: true, to: &writer)
            writer.key("content")
            writeContent(type, schema, to: &writer)
            writer.endObject()
        }
        if route.answer == .page {
            writer.key("307")
            writer.beginObject()
            writer.member(
                "description",
                "This coordinator stands by, and the page of the one that leads is at the address in Location."
            )
            writer.endObject()
        }
        if route.answerHeaders.contains(.tag) {
            writer.key("304")
            writer.beginObject()
            writer.member("description", "The client has the newest version.")
            write([.tag], areRequired: true, to: &writer)
            writer.endObject()
        }
        writer.key("default")
        writer.beginObject()
        writer.member("$ref", "#/components/responses/error")
        writer.endObject()
        writer.endObject()
        if route.audience == .admitted {
            writer.key("security")
            writer.beginArray()
            writer.beginObject()
            writer.member("token", strings: [])
            writer.endObject()
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ header: RouteHeader, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("name", header.name)
        writer.member("in", "header")
        writer.member("description", header.meaning)
        writer.key("schema")
        header.schema.write(to: &writer)
        writer.endObject()
    }

    private func write(_ headers: [RouteHeader], areRequired: Bool, to writer: inout JSONWriter) {
        guard !headers.isEmpty else { return }
        writer.key("headers")
        writer.beginObject()
        for header in headers {
            writer.key(header.name)
            writer.beginObject()
            writer.member("description", header.meaning)
            if areRequired { writer.member("required", true) }
            writer.key("schema")
            header.schema.write(to: &writer)
            writer.endObject()
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

    private func writeContent(_ type: String, _ schema: Schema, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key(type)
        writer.beginObject()
        writer.key("schema")
        schema.write(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private func writeComponents(_ table: SchemaTable, to writer: inout JSONWriter) {
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
        write(RouteHeader.ofRefusals, areRequired: false, to: &writer)
        writer.key("content")
        writeContent("application/json", ErrorDocument.schema(in: table), to: &writer)
        writer.endObject()
        writer.endObject()
        writer.key("schemas")
        writer.beginObject()
        for (name, schema) in table.schemas.sorted(by: { $0.key < $1.key }) {
            writer.key(name)
            schema.write(to: &writer)
        }
        writer.endObject()
        writer.endObject()
    }
}
