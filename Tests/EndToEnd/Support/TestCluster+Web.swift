import Foundation
import Testing

/// Requests to the web interface of a test's coordinator, by curl.
extension TestCluster {
    /// An answer of the web interface.
    struct WebAnswer {
        var status: Int
        var headers: String
        var body: String

        /// The body as JSON.
        var json: JSONValue { get throws { try JSONValue(parsing: body) } }
    }

    /// The options of a coordinator with a web interface at a free port.
    static let withHTTP = ["--http", "127.0.0.1:0"]

    /// The address of the web interface, and the token of the home.
    func web() async throws -> (url: String, token: String) {
        let document = try await json("dashboard")
        return (document.url.string, document.token.string)
    }

    /// Sends a request.
    ///
    /// - Parameters:
    ///   - token: the token; nil sends none.
    ///   - body: the body, as JSON.
    ///   - options: further options of curl.
    func ask(
        _ method: String = "GET",
        _ path: String,
        token: String?,
        body: String? = nil,
        options: [String] = []
    ) async throws -> WebAnswer {
        let (url, _) = try await web()
        let headers = home.appending(path: "headers-\(UUID().uuidString)").path
        var arguments = [
            "--silent", "--show-error", "--dump-header", headers, "--request", method, "--max-time", "600",
        ]
        if method == "HEAD" { arguments.append("--head") }
        if let token { arguments += ["--header", "Authorization: Bearer \(token)"] }
        if let body { arguments += ["--header", "Content-Type: application/json", "--data-binary", body] }
        let process = try ChildProcess(
            "curl",
            arguments + options + [String(url.dropLast()) + path],
            environment: environment,
            directory: home.path
        )
        let status = try await process.end()
        try #require(status == 0, "\(process.errorText)")
        let head = try String(contentsOfFile: headers, encoding: .utf8)
        let code = head.split(separator: " ", maxSplits: 2).dropFirst().first.flatMap { Int($0) }
        // The head is all that curl prints of an answer to HEAD.
        let content = method == "HEAD" ? String(process.outputText.trimmingPrefix(head)) : process.outputText
        return WebAnswer(status: try #require(code), headers: head, body: content)
    }
}
