@_spi(Baton) import BatonOperations
@_spi(Baton) import BatonTestSockets
import Testing
@_spi(Baton) import BatonWire
@_spi(Baton) import BatonZeroMQ

@_spi(Baton) @testable import BatonWorker

@Suite("Inquiries who leads", .serialized, .timeLimit(.minutes(60)))
struct LeaderInquiriesTests {
    /// The inquiries of a worker, and what they have brought.
    private final class Bench {
        private let context: Context
        private let poller: Poller
        private let inquiries: LeaderInquiries
        private var told: [(place: Int, news: LeaderInquiries.News)] = []

        init(
            _ addresses: [String],
            known: LeaderRank? = nil,
            resolver: NameResolver = .system,
            answerWithin patience: Duration = FakeCoordinator.patience
        ) throws {
            guard let endpoints = EndpointList(addresses.joined(separator: ",")) else { throw Overdue() }
            let (context, poller) = (try Context(), Poller())
            self.context = context
            self.poller = poller
            var patiences = WorkerPatience()
            patiences.inquiry = patience
            inquiries = try LeaderInquiries(
                endpoints,
                version: "test",
                known: known,
                security: .none,
                context: context,
                poller: poller,
                resolver: resolver,
                patience: patiences
            )
        }

        func close() {
            inquiries.close()
            context.terminate()
        }

        /// The news of a place so far.
        func news(of place: Int) -> [LeaderInquiries.News] { told.filter { $0.place == place }.map(\.news) }

        /// Lets coordinators answer until a place has news that is wanted.
        func run(_ coordinators: [FakeCoordinator], until place: Int, has wanted: LeaderInquiries.News) throws {
            let deadline = ContinuousClock.now + FakeCoordinator.patience
            while !news(of: place).contains(wanted) {
                guard ContinuousClock.now < deadline else { throw Overdue() }
                try poller.poll(timeout: .milliseconds(20))
                told += inquiries.receive()
                for coordinator in coordinators { try coordinator.serve() }
            }
        }

        /// Forgets the news so far.
        func forget() { told = [] }
    }

    private static let rank = LeaderRank.test(3)

    @Test("Each address is asked, with what the worker knows, and its answer is news of its place", arguments: 1...8)
    func answers(places: Int) async throws {
        try await withTemporaryDirectory { _ in
            let coordinators = try (0..<places).map { _ in try FakeCoordinator() }
            defer { for coordinator in coordinators { coordinator.close() } }
            let bench = try Bench(coordinators.map(\.endpoint), known: Self.rank)
            defer { bench.close() }
            for (place, coordinator) in coordinators.enumerated() {
                coordinator.leadership = .leads(.test(UInt32(place) + 1))
            }
            for (place, coordinator) in coordinators.enumerated() {
                try bench.run(coordinators, until: place, has: .leadership(.leads(.test(UInt32(place) + 1))))
                let inquiry = try coordinator.awaitInquiry()
                #expect(inquiry == LeaderInquiry(version: "test", known: Self.rank))
            }
        }
    }

    @Test("A place that answers no inquiry is told once, and the others all the same")
    func silent() async throws {
        try await withTemporaryDirectory { _ in
            let coordinators = [try FakeCoordinator(), try FakeCoordinator()]
            defer { for coordinator in coordinators { coordinator.close() } }
            let bench = try Bench(coordinators.map(\.endpoint), answerWithin: .zero)
            defer { bench.close() }
            coordinators[1].leadership = .leads(Self.rank)
            try bench.run(coordinators, until: 0, has: .silent)
            try bench.run(coordinators, until: 1, has: .leadership(.leads(Self.rank)))
            #expect(bench.news(of: 0) == [.silent])
        }
    }

    @Test("A lost connection is told, and the next coordinator at the address is asked", arguments: [false, true])
    func lost(isNamed: Bool) async throws {
        try await withTemporaryDirectory { _ in
            let first = try FakeCoordinator()
            let names = FakeNames([first.endpoint])
            let bench = try Bench([isNamed ? FakeNames.endpoint : first.endpoint], resolver: names.resolver)
            defer { bench.close() }
            first.leadership = .leads(Self.rank)
            try bench.run([first], until: 0, has: .leadership(.leads(Self.rank)))
            first.close()
            try bench.run([], until: 0, has: .lost)
            bench.forget()
            let second = try FakeCoordinator(at: first.endpoint)
            defer { second.close() }
            second.leadership = .standsBy
            try bench.run([second], until: 0, has: .leadership(.standsBy))
            #expect(bench.news(of: 0).first == .leadership(.standsBy))
        }
    }
}
