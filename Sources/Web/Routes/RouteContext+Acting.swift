@_spi(Baton) import BatonDocuments
@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonWire

/// What routes that change something ask for.
extension RouteContext {
    /// Asks for a change, and answers with its effect.
    func change(_ request: Request) async throws(WebRefusal) -> HTTPResponse {
        guard case .changed(let report) = try await ask(request) else { throw .unexpected }
        return .json(ChangeDocument(report).json)
    }

    /// The signal that a body names.
    func signal(in body: RequestBody) throws(WebRefusal) -> OperationSignal {
        guard let signal = body.text("signal").flatMap({ OperationSignal(rawValue: $0) }) else { throw .unexpected }
        return signal
    }

    /// Cancels operations, or what is unfinished in a queue, and answers with the effect.
    func cancel(_ addresses: [Address], queue: String?) async throws(WebRefusal) -> HTTPResponse {
        guard case .changed(let report) = try await ask(.cancel(addresses, queue: queue)) else { throw .unexpected }
        return .json(CancelDocument(report).json)
    }

    /// Asks for a retry of a finished job, and answers with the new job.
    func retry(
        _ job: JobNumber,
        operations: [Address],
        groups: [UInt32],
        _ body: RequestBody
    ) async throws(WebRefusal) -> HTTPResponse {
        // Without a key of the client's, a repeated request is another retry.
        let key = try idempotencyKey ?? "http-\(UInt64.random(in: .min ... .max))"
        let (cancelled, dependents) = (body.truth("cancelled") ?? false, body.truth("dependents") ?? true)
        let again = body.truth("again") ?? false
        do throws(WebRefusal) {
            return try await makeJob { rejectsUnplaceable in
                .retry(
                    job,
                    operations: operations,
                    groups: groups,
                    cancelled: cancelled,
                    dependents: dependents,
                    again: again,
                    rejectsUnplaceable: rejectsUnplaceable,
                    key: key
                )
            }
        } catch {
            if error.code == Refusal.Code.retried.rawValue {
                throw WebRefusal(error.status, error.code, "\(error.message) Give \"again\": true to retry it again.")
            }
            // The coordinator's code is that of any wrong request.
            guard error.code == Refusal.Code.invalid.rawValue, try await !isFinished(job) else { throw error }
            throw WebRefusal(409, error.code, error.message)
        }
    }

    /// Asks for a new job, and answers with its number, and with why no worker can ever take one of its operations (D16).
    ///
    /// The coordinator, which knows the workers, is first asked to refuse such operations.
    ///
    /// - Parameters:
    ///   - isChecked: whether it is worth a question whether there are workers for all operations.
    ///   - request: the request; its argument is whether the coordinator is to refuse.
    func makeJob(
        isChecked: Bool = true,
        _ request: (_ isRejected: Bool) -> Request
    ) async throws(WebRefusal) -> HTTPResponse {
        let isRejected = query.text("rejectUnplaceable") == "true"
        var unplaceable: String?
        var reply: Reply
        do throws(WebRefusal) {
            reply = try await ask(request(isRejected || isChecked))
        } catch {
            guard !isRejected, error.code == Refusal.Code.unplaceable.rawValue else { throw error }
            unplaceable = error.message
            reply = try await ask(request(false))
        }
        guard case .job(let job, let operations, _) = reply else { throw .unexpected }
        let document = SubmitDocument(job: job, operations: operations, unplaceable: unplaceable)
        var response = HTTPResponse.json(document.json, status: 201)
        response.headers.add(.location, "/api/v1/jobs/\(job)")
        return response
    }

    /// Whether a job is finished.
    private func isFinished(_ job: JobNumber) async throws(WebRefusal) -> Bool {
        guard case .document(let page) = try await ask(JobHeader.request(for: job)) else { throw .unexpected }
        return try JobDocument.read(page).state == .finished
    }

    /// The addresses in the member `operations` of a body; none without the member.
    ///
    /// - Parameter job: the job whose operations they have to be; nil for any.
    func addresses(in body: RequestBody, of job: JobNumber? = nil) throws(WebRefusal) -> [Address] {
        var addresses: [Address] = []
        for text in body.texts("operations") {
            guard let address = Address(text), job == nil || address.job == job else {
                throw WebRefusal(
                    400,
                    "usage",
                    "\"\(text.asShown)\" in \"operations\" is not the address of an operation\(job.map { " of job \($0)" } ?? "")."
                )
            }
            addresses.append(address)
        }
        guard addresses.count <= WireLimits.maximumAddressCount else {
            throw WebRefusal(
                413,
                "tooLarge",
                "\"operations\" may have \(WireLimits.maximumAddressCount) addresses at most."
            )
        }
        return addresses
    }
}
