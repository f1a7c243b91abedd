@_spi(Baton) import BatonOperations
import Testing
@_spi(Baton) import BatonWire

@_spi(Baton) @testable import BatonWorker

@Suite("Hellos that repeat a number of the coordinator")
struct SessionChallengeTests {
    private static let numbers: [UInt64] = [0, 1, 7_000, .max]

    /// A session that has lost its coordinator while an attempt ran and another waited, and has said hello again.
    private func returning() throws -> SessionDriver {
        var driver = SessionDriver.welcomed(slots: 1)
        driver.dispatch(1, 2)
        driver.turn(.connectionLost)
        let hello = try #require(driver.connect().hellos.first)
        #expect(hello.echo == nil && hello.attempts.map(\.phase) == [.running, .waiting])
        return driver
    }

    @Test(
        "A challenge is answered at once by a hello with its number and with all that has happened",
        arguments: numbers
    )
    func answer(number: UInt64) throws {
        var driver = try returning()
        let first = driver.session.session
        let fruitless = driver.session.fruitlessConnections
        driver.turn(.attemptFinished(token(1), result()), after: .milliseconds(300))
        let effects = driver.receive(.challenge(number), after: .milliseconds(200))
        let hello = try #require(effects.hellos.first)
        #expect(hello.echo == number)
        #expect(hello.attempts.map(\.token).contains(token(1)))
        #expect(hello.attempts.first { $0.token == token(1) }?.phase == .finished)
        #expect(hello.session != first && hello.session == driver.session.session)
        #expect(driver.session.fruitlessConnections == fruitless)
        #expect(!effects.contains(.closeConnection) && effects.opened.isEmpty && !driver.session.isWelcomed)
        // The lease counts from the hello that is answered.
        let sent = driver.now
        driver.now += .seconds(1)
        driver.welcome()
        #expect(driver.session.isWelcomed && driver.session.mayStartUntil == sent + driver.session.lease)
    }

    @Test("A welcome of the hello before the challenge is not one of the hello behind it")
    func earlierWelcome() throws {
        var driver = try returning()
        let earlier = driver.plainWelcome
        driver.receive(.challenge(5))
        driver.receive(.welcome(earlier))
        #expect(!driver.session.isWelcomed)
        driver.welcome()
        #expect(driver.session.isWelcomed)
    }

    @Test("A repeated challenge is answered once, before and after the welcome, and each other one anew")
    func repeated() throws {
        var driver = try returning()
        #expect(driver.receive(.challenge(5), .challenge(5), .challenge(5)).hellos.map(\.echo) == [5])
        #expect(driver.receive(.challenge(5), after: .milliseconds(10)).hellos.isEmpty)
        #expect(driver.receive(.challenge(6), .challenge(7)).hellos.map(\.echo) == [6, 7])
        driver.welcome()
        let session = driver.session.session
        #expect(driver.receive(.challenge(7)).hellos.isEmpty)
        #expect(driver.session.isWelcomed && driver.session.session == session)
        #expect(driver.receive(.challenge(8)).hellos.map(\.echo) == [8])
        #expect(!driver.session.isWelcomed)
    }

    @Test("Later hellos over a connection repeat its number, and those over the next one do not", arguments: numbers)
    func connections(number: UInt64) throws {
        var driver = try returning()
        driver.receive(.challenge(number))
        driver.welcome()
        for _ in 1...3 {
            #expect(driver.receive(.sayHello).hellos.map(\.echo) == [number])
            driver.welcome()
        }
        // The challenge of the next connection is lost with it.
        for _ in 1...3 {
            driver.turn(.connectionLost)
            #expect(driver.receive(.challenge(number)).hellos.isEmpty, "the session has left the connection")
            #expect(driver.connect().hellos.map(\.echo) == [nil])
        }
        #expect(driver.receive(.challenge(number)).hellos.map(\.echo) == [number])
    }

    @Test("A challenge begins the wait for the welcome anew")
    func patience() throws {
        var driver = try returning()
        let patience = driver.session.welcomePatience
        driver.receive(.challenge(5), after: patience - .milliseconds(1))
        #expect(!driver.turn(.tick, after: patience - .milliseconds(1)).contains(.closeConnection))
        #expect(driver.turn(.tick, after: .milliseconds(1)).contains(.closeConnection))
    }

    @Test("A session that waits at a coordinator that stood by answers its challenge")
    func standingBy() throws {
        var driver = try returning()
        driver.receive(.leadership(.standsBy))
        #expect(driver.receive(.challenge(5)).hellos.map(\.echo) == [5])
        driver.welcome()
        #expect(driver.session.isWelcomed)
    }

    @Test("Each of several places has a number of its own, or none", arguments: 2...5)
    func places(count: Int) throws {
        var driver = SessionDriver(slots: 1) { $0.places = count }
        driver.connect()
        for place in 1..<count {
            #expect(driver.receive(.challenge(UInt64(place))).hellos.map(\.echo) == [UInt64(place)])
            #expect(driver.receive(.leadership(.standsBy)).opened == [place])
            #expect(driver.receive(.challenge(99)).isEmpty, "no hello was sent there so far")
            #expect(driver.turn(.connectionOpened).hellos.map(\.echo) == [nil])
        }
    }
}
