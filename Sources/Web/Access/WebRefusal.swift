@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations

/// The refusal of a request, with a sentence for its sender.
struct WebRefusal: Error, Sendable {
    /// The status of HTTP.
    let status: Int
    /// The kind of refusal, as a word.
    let code: String
    /// What happened, to what, and what to do.
    let message: String
    /// The path of a cycle or of an endless wait; else empty.
    let path: [String]
    /// Headers of the answer.
    let headers: HTTPHeaders

    init(_ status: Int, _ code: String, _ message: String, path: [String] = [], headers: HTTPHeaders = [:]) {
        self.status = status
        self.code = code
        self.message = message
        self.path = path
        self.headers = headers
    }

    /// The refusal that the coordinator gives.
    init(_ refusal: Refusal) {
        let status =
            switch refusal.code {
            case .notFound, .unavailable: 404
            case .notAllowed: 403
            case .keyConflict, .retried: 409
            case .invalid, .cycle, .unknownDependency, .duplicateName, .deadlock, .unplaceable, .unsentFiles: 422
            case .storage, .damaged, .unanswered: 503
            default: 500
            }
        self.init(status, refusal.code.rawValue, refusal.message, path: refusal.path)
    }

    /// The refusal that the server itself gives.
    init(_ failure: HTTPFailure) {
        self.init(failure.status, failure.status == 503 ? "unavailable" : "usage", failure.message)
    }

    /// The answer for the sender.
    var response: HTTPResponse {
        var response = HTTPResponse.json(
            ErrorDocument(Refusal(Refusal.Code(rawValue: code), message, path: path)).json,
            status: status
        )
        for field in headers.fields { response.headers.add(field.name, field.value) }
        return response
    }
}
