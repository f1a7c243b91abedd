/// Finds the route of a request.
struct Router: Sendable {
    /// The result of a search.
    enum Found: Sendable {
        /// The route with the values of its path.
        case route(Route, [RouteValue: String])
        /// The address has other methods.
        case otherMethods([Route.Method])
        /// There is no such address.
        case nothing
    }

    /// All routes.
    let routes: [Route]

    /// Searches for the route of a request.
    func find(_ head: HTTPRequestHead) -> Found {
        // An answer to HEAD is that to GET without its body.
        let method = head.method == "HEAD" ? .get : Route.Method(rawValue: head.method)
        var methods: [Route.Method] = []
        for route in routes {
            guard let values = route.path.match(head.path) else { continue }
            if route.method == method { return .route(route, values) }
            methods.append(route.method)
        }
        return methods.isEmpty ? .nothing : .otherMethods(methods)
    }
}
