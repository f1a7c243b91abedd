import Testing

@_spi(Baton) @testable import BatonTelemetry

@Suite("Settings of the export of spans", .timeLimit(.minutes(60)))
struct TraceSettingsTests {
    private func settings(_ endpoint: String? = nil, _ variables: [String: String] = [:]) throws -> TraceSettings {
        try TraceSettings(endpoint: endpoint) { variables[$0] }
    }

    @Test("The option counts before the variable for traces, and that before the variable for all signals")
    func endpoints() throws {
        #expect(try settings().endpoint.description == "http://127.0.0.1:4318/v1/traces")
        var variables = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://tempo:4318/otlp/"]
        #expect(try settings(nil, variables).endpoint.description == "http://tempo:4318/otlp/v1/traces")
        variables["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"] = "http://other/in?tenant=7"
        let whole = try settings(nil, variables).endpoint
        #expect(
            whole.target == "/in?tenant=7" && whole.host == "other" && whole.port == 80 && whole.authority == "other"
        )
        #expect(try settings("HTTP://[::1]:99", variables).endpoint.host == "::1")
        #expect(try settings("http://[::1]:99", variables).endpoint.authority == "[::1]:99")
        #expect(try settings("http://[::1]").endpoint.port == 80)
        #expect(try TraceEndpoint("http://h:1", isWhole: true, from: "X").target == "/")
        let query = try TraceEndpoint("http://h?a=b", isWhole: true, from: "X")
        #expect(query.host == "h" && query.target == "/?a=b")
        #expect(try settings("http://h//").endpoint.target == "/v1/traces")
        #expect(throws: TraceSettingsError.self) { try TraceEndpoint("http://h/#a", isWhole: true, from: "X") }
    }

    @Test(
        "An endpoint that cannot be used is refused in a sentence that says where it comes from and what to do",
        arguments: [
            "", "tempo:4318", "ftp://h", "http://", "http:///v1", "http://:80", "http://h:", "http://h:0",
            "http://h:65536",
            "http://h:x", "http://h:-1", "http://::1", "http://[::1", "http://h/?a=b", "http://h/#a", "http://h /",
            "http://h/\r\nX: y", "http://hé", "http://h\u{7F}",
            String(repeating: "h", count: 9_000),
        ]
    )
    func wrongEndpoints(text: String) throws {
        let error = #expect(throws: TraceSettingsError.self) { try settings(text) }
        #expect(error?.description.contains("--endpoint") == true)
        #expect((error?.description.utf8.count ?? 0) < 400)
        #expect(error?.description.hasSuffix("Give one such as http://127.0.0.1:4318.") == true)
    }

    @Test("https is refused with the way out, and a password in an address is not repeated")
    func unsupported() throws {
        let https = #expect(throws: TraceSettingsError.self) {
            try settings(nil, ["OTEL_EXPORTER_OTLP_ENDPOINT": "https://h"])
        }
        #expect(https?.description.contains("OTEL_EXPORTER_OTLP_ENDPOINT begins with https") == true)
        #expect(https?.description.contains("a collector on this host") == true)
        let password = #expect(throws: TraceSettingsError.self) { try settings("http://me:secret@h/") }
        #expect(password?.description.contains("secret") == false)
        #expect(password?.description.contains("OTEL_EXPORTER_OTLP_HEADERS") == true)
    }

    @Test("Headers are percent-decoded, and those for traces replace those for all signals")
    func headers() throws {
        let all = "authorization=Bearer%20a%2Cb, X-Tenant = 7 ,,empty="
        let headers = try settings(
            nil,
            ["OTEL_EXPORTER_OTLP_HEADERS": all, "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "x-tenant=8=9"]
        ).headers
        #expect(
            headers == [
                TraceHeader(name: "authorization", value: "Bearer a,b"), TraceHeader(name: "empty", value: ""),
                TraceHeader(name: "x-tenant", value: "8=9"),
            ]
        )
        #expect(try settings(nil, ["OTEL_EXPORTER_OTLP_HEADERS": "a=b%09c"]).headers.map(\.value) == ["b\tc"])
        #expect(try settings().headers.isEmpty)
    }

    @Test(
        "Headers that a request cannot have are refused without their values",
        arguments: [
            "secret", "=secret", "a b=secret", "a:=secret", "é=secret", "x=secret%", "x=secret%2", "x=secret%zz",
            "x=secret%0d%0aY:z", "x=secret%ff", "x=secret%7f", "Content-Length=secret", "host=secret",
            "Content-Type=secret", "Content-Encoding=secret", "Transfer-Encoding=secret", "Connection=secret",
            "Expect=secret", "x=secret%+1",
        ]
    )
    func wrongHeaders(text: String) throws {
        let error = #expect(throws: TraceSettingsError.self) {
            try settings(nil, ["OTEL_EXPORTER_OTLP_HEADERS": text])
        }
        #expect(error?.description.contains("OTEL_EXPORTER_OTLP_HEADERS") == true)
        #expect(error?.description.contains("secret") == false)
        let second = #expect(throws: TraceSettingsError.self) {
            try settings(nil, ["OTEL_EXPORTER_OTLP_HEADERS": "a=b,\(text)"])
        }
        #expect(second?.description.hasPrefix("Header 1 ") == false, "the second header is at fault")
    }
}
