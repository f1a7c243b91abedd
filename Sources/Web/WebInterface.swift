@_spi(Baton) import BatonKeys

/// The web interface of a coordinator: it admits requests, and finds their routes.
@_spi(Baton) public struct WebInterface: HTTPHandler {
    /// The most bytes of a submission.
    private static let longestSubmission = 64 << 20
    /// The most bytes of the body of any other request.
    private static let longestBody = 64 << 10

    private let access: RequestGuard
    private let cluster: any WebCluster
    private let router: Router
    private let metrics = HTTPMetrics()
    private let clock = ContinuousClock()
    private let history: HistoryResources
    private let live: LiveBoard
    private let graphs: GraphReader

    /// Makes the interface of a coordinator.
    ///
    /// - Parameters:
    ///   - access: decides which requests are answered.
    ///   - cluster: the coordinator.
    ///   - version: the version of the coordinator's program.
    ///   - directory: where temporary files may be made.
    public init(
        _ access: RequestGuard,
        _ cluster: any WebCluster,
        version: String,
        temporaryFilesIn directory: String = "/tmp"
    ) {
        let cluster = AdmittingCluster(cluster: cluster, access: access)
        self.init(access, cluster, version: version, temporaryFilesIn: directory, LiveBoard(cluster))
    }

    init(
        _ access: RequestGuard,
        _ cluster: any WebCluster,
        version: String,
        temporaryFilesIn directory: String = "/tmp",
        _ live: LiveBoard,
        _ graphs: GraphReader = GraphReader(),
        traces: TracePlaces = TracePlaces(most: HistoryResources.mostTraces)
    ) {
        self.access = access
        self.cluster = cluster
        self.live = live
        self.graphs = graphs
        history = HistoryResources(traces: traces, temporaryDirectory: directory)
        let routes = Route.all
        // It takes some of the time of a start, and most coordinators are never asked for it.
        let description = MadeOnce { OpenAPI(routes: routes, version: version).json }
        router = Router(
            routes: routes + [
                Route(.get, "/api/v1/openapi.json", "The description of this interface.") { _ in
                    .json(description.value)
                }
            ]
        )
    }

    /// Notes when the certificate expires that is in use, for the metrics.
    ///
    /// - Parameter seconds: the time in seconds since 1970; nil without a certificate.
    public func noteCertificate(expiringAt seconds: Int64?) { metrics.noteCertificate(expiringAt: seconds) }

    /// The refusal of a request before its body is read.
    public func refusal(of head: HTTPRequestHead) -> HTTPResponse? {
        let start = clock.now
        var path: String?
        do throws(WebRefusal) {
            let (route, _) = try route(of: head)
            guard route.audience == .admitted else { return nil }
            path = route.path.description
            if route.isActing { _ = try access.actor(of: head) } else { _ = try access.reader(of: head) }
            _ = try RouteQuery(head.query, route.query)
            return nil
        } catch {
            metrics.note(error.response.status, of: path, after: clock.now - start)
            return error.response
        }
    }

    /// Whether a request has shown a token, or may do without one: what everybody may ask for shows nothing.
    public func knowsSender(of head: HTTPRequestHead) -> Bool {
        guard let (route, _) = try? route(of: head) else { return false }
        return route.audience == .admitted
    }

    /// The most bytes of a request's body.
    public func mostBodyBytes(for head: HTTPRequestHead) -> Int {
        head.method == "POST" && head.path == ["api", "v1", "jobs"] ? Self.longestSubmission : Self.longestBody
    }

    /// Answers a request that was not refused.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        let start = clock.now
        var path: String?
        let response: HTTPResponse
        do throws(WebRefusal) {
            let (route, values) = try route(of: request.head)
            path = route.path.description
            response = try await answer(request, on: route, values)
        } catch {
            response = error.response
        }
        metrics.note(response.status, of: path, after: clock.now - start)
        if case .stream(let stream) = response.body { metrics.note(stream) }
        return response
    }

    private func answer(
        _ request: HTTPRequest,
        on route: Route,
        _ values: [RouteValue: String]
    ) async throws(WebRefusal) -> HTTPResponse {
        if route.answer == .page, let page = cluster.leadersPage, let response = HTTPResponse(request.head, at: page) {
            return response
        }
        // The token may have been revoked while the body came.
        let caller = route.audience == .admitted ? try access.reader(of: request.head) : WebCaller(holder: nil)
        let context = RouteContext(
            route: route,
            request: request,
            caller: caller,
            query: try RouteQuery(route.takesAnyQuery ? [] : request.head.query, route.query),
            values: values,
            connection: cluster.connect(by: caller.holder?.key),
            metrics: metrics,
            history: history,
            live: live,
            graphs: graphs,
            access: access
        )
        return try await route.respond(context)
    }

    /// The response to a request that the server refuses before it reaches a route.
    public func response(to failure: HTTPFailure) -> HTTPResponse {
        WebRefusal(failure).response
    }

    private func route(of head: HTTPRequestHead) throws(WebRefusal) -> (Route, [RouteValue: String]) {
        let found = router.find(head)
        if case .route(let route, let values) = found, route.audience == .everybody { return (route, values) }
        if let objection = access.objection(toHostOf: head) { throw objection }
        switch found {
        case .route(let route, let values): return (route, values)
        case .otherMethods(let methods):
            let allowed = methods.flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }.joined(separator: ", ")
            throw WebRefusal(
                405,
                "method",
                "This address takes \(allowed), not \(head.method.prefix(20)).",
                headers: ["Allow": allowed]
            )
        case .nothing: throw WebRefusal(404, "notFound", "There is nothing at this address. See /api/v1/openapi.json.")
        }
    }
}
