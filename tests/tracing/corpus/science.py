"""Formulas of the sciences, of images, statistics and learning, as papers and their scripts have them."""

import math

import numpy as np
import scipy.integrate
import scipy.optimize
import scipy.special
import scipy.stats as st
from scipy import special as sp
from scipy.linalg import cho_factor, cho_solve, cholesky, expm, solve_triangular
from scipy.special import erf, gamma, gammaincinv, wofz

from tests.tracing.corpus.row import Rows

add = Rows("science")
U = [0.31, -0.72, 1.15, 0.58, -1.4]
P = [0.8, 1.7, 2.9, 3.1, 4.6]
W = [[0.3, -0.5, 0.7], [0.1, 0.9, -0.4]]
IMAGE = 0.5 + 0.4 * np.sin(np.arange(1.0, 21.0) ** 1.3).reshape(4, 5)
RGB = 0.5 + 0.4 * np.sin(np.arange(1.0, 13.0) ** 1.7).reshape(4, 3)

# ---- astronomy


def sersic(r, Ie, Re, n):
    b = scipy.special.gammaincinv(2 * n, 0.5)
    return Ie * np.exp(-b * ((r / Re) ** (1 / n) - 1))


def sersic_luminosity(r, Ie, Re, n):
    b = gammaincinv(2 * n, 0.5)
    x = b * (r / Re) ** (1 / n)
    return Ie * Re**2 * 2 * np.pi * n * np.exp(b) / b ** (2 * n) * gamma(2 * n) * sp.gammainc(2 * n, x)


def nfw_density(r, rho0, rs):
    x = r / rs
    return rho0 / (x * (1 + x) ** 2)


def nfw_projected(x):
    if x < 1:
        return 2 * (1 - 2 / math.sqrt(1 - x * x) * math.atanh(math.sqrt((1 - x) / (1 + x)))) / (x * x - 1)
    elif x > 1:
        return 2 * (1 - 2 / math.sqrt(x * x - 1) * math.atan(math.sqrt((x - 1) / (1 + x)))) / (x * x - 1)
    return 2 / 3


def nfw_projected_array(R, rs):
    x = R / rs
    out = np.zeros_like(x)
    inside, outside = x < 1, x > 1
    xi, xo = x[inside], x[outside]
    out[inside] = (1 - np.arccosh(1 / xi) / np.sqrt(1 - xi**2)) / (xi**2 - 1)
    out[outside] = (1 - np.arccos(1 / xo) / np.sqrt(xo**2 - 1)) / (xo**2 - 1)
    return out


def planck(wavelength, T):
    h, c, k = 6.62607015e-34, 2.99792458e8, 1.380649e-23
    lam = wavelength * 1e-6
    return 2e-6 * h * c**2 / lam**5 / np.expm1(h * c / (lam * k * T))


def moffat(x, y, x0, y0, a, alpha):
    return a * (1 + ((x - x0) ** 2 + (y - y0) ** 2) / 4.0) ** -alpha


def voigt(x, sigma, g):
    z = (x + 1j * g) / (sigma * np.sqrt(2))
    return wofz(z).real / (sigma * np.sqrt(2 * np.pi))


def airy_disk(r, R):
    z = np.pi * r / R
    return (2 * sp.j1(z) / z) ** 2


def king_profile(r, rc, rt):
    return np.where(r < rt, (1 / np.sqrt(1 + (r / rc) ** 2) - 1 / np.sqrt(1 + (rt / rc) ** 2)) ** 2, 0.0)


def cosmology_distance(z, H0, Om):
    E = lambda z: np.sqrt(Om * (1 + z) ** 3 + 1 - Om)
    integral, _ = scipy.integrate.quad(lambda x: 1 / E(x), 0, z)
    return 299792.458 / H0 * integral * (1 + z)


def cosmology_by_trapezoid(z, Om, w):
    grid = np.linspace(0, z, 50)
    E = np.sqrt(Om * (1 + grid) ** 3 + (1 - Om) * (1 + grid) ** (3 * (1 + w)))
    return 5 * np.log10((1 + z) * np.trapezoid(1 / E, grid)) + 25


def haversine(lat1, lon1, lat2, lon2):
    lat1, lon1, lat2, lon2 = map(math.radians, [lat1, lon1, lat2, lon2])
    a = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6371.0 * math.asin(math.sqrt(a))


def vincenty(lat1, lon1, lat2, lon2):
    f, a = 1 / 298.257223563, 6378.137
    b = (1 - f) * a
    U1, U2 = np.arctan((1 - f) * np.tan(np.radians(lat1))), np.arctan((1 - f) * np.tan(np.radians(lat2)))
    L = np.radians(lon2 - lon1)
    lam = L
    for _ in range(100):
        sin_s = np.hypot(
            np.cos(U2) * np.sin(lam), np.cos(U1) * np.sin(U2) - np.sin(U1) * np.cos(U2) * np.cos(lam)
        )
        cos_s = np.sin(U1) * np.sin(U2) + np.cos(U1) * np.cos(U2) * np.cos(lam)
        s = np.arctan2(sin_s, cos_s)
        sin_a = np.cos(U1) * np.cos(U2) * np.sin(lam) / sin_s
        cos2a = 1 - sin_a**2
        cos2m = cos_s - 2 * np.sin(U1) * np.sin(U2) / cos2a
        C = f / 16 * cos2a * (4 + f * (4 - 3 * cos2a))
        old = lam
        lam = L + (1 - C) * f * sin_a * (s + C * sin_s * (cos2m + C * cos_s * (2 * cos2m**2 - 1)))
        if abs(lam - old) < 1e-15:
            break
    u2 = cos2a * (a**2 - b**2) / b**2
    A = 1 + u2 / 16384 * (4096 + u2 * (-768 + u2 * (320 - 175 * u2)))
    return b * A * s


def orbit_to_state(a, e, i, node, w, nu):
    p = a * (1 - e**2)
    r = p / (1 + e * np.cos(nu))
    position = np.array([r * np.cos(nu), r * np.sin(nu), 0.0])
    velocity = np.array([-np.sin(nu), e + np.cos(nu), 0.0]) / np.sqrt(p)

    def R3(t):
        return np.array([[np.cos(t), -np.sin(t), 0], [np.sin(t), np.cos(t), 0], [0, 0, 1]])

    R1 = np.array([[1, 0, 0], [0, np.cos(i), -np.sin(i)], [0, np.sin(i), np.cos(i)]])
    Q = R3(node) @ R1 @ R3(w)
    return Q @ position, Q @ velocity


def state_to_elements(r, v):
    h = np.cross(r, v)
    e = np.cross(v, h) - r / np.linalg.norm(r)
    n = np.cross([0.0, 0.0, 1.0], h)
    ecc = np.linalg.norm(e)
    inc = np.arccos(h[2] / np.linalg.norm(h))
    node = np.arccos(n[0] / np.linalg.norm(n))
    if n[1] < 0:
        node = 2 * np.pi - node
    return np.array([ecc, inc, node])


def transit_flux(z, k):
    """Uniform source (Mandel and Agol)."""
    flux = np.ones_like(z)
    inside = z <= 1 - k
    flux[inside] = 1 - k**2
    edge = (z > 1 - k) & (z < 1 + k)
    ze = z[edge]
    k0 = np.arccos((k**2 + ze**2 - 1) / (2 * k * ze))
    k1 = np.arccos((1 - k**2 + ze**2) / (2 * ze))
    area = k**2 * k0 + k1 - np.sqrt((4 * ze**2 - (1 + ze**2 - k**2) ** 2) / 4)
    flux[edge] = 1 - area / np.pi
    return flux


def radial_velocity(t, K, e, w, P):
    M = 2 * np.pi * t / P
    E = M.copy()
    for _ in range(15):
        E = E - (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
    nu = 2 * np.arctan2(np.sqrt(1 + e) * np.sin(E / 2), np.sqrt(1 - e) * np.cos(E / 2))
    return K * (np.cos(nu + w) + e * np.cos(w))


add(sersic, 1.0, 2.0, 1.1, 3.3)
add(sersic_luminosity, 1.0, 2.0, 1.1, 3.3)
add(nfw_density, P, 1.2, 1.5)
add(nfw_projected, 0.4)
add(nfw_projected, 1.7)
add(nfw_projected_array, [0.3, 0.7, 1.9, 3.2], 1.2)
add(planck, 2.1, 1500.0)
add(moffat, 0.4, 0.3, 0.1, -0.2, 1.3, 2.5)
add(voigt, 0.4, 0.9, 0.3)
add(airy_disk, 0.7, 1.2)
add(king_profile, [0.4, 1.3, 5.0], 0.7, 3.1)
add(cosmology_distance, 0.7, 70.0, 0.3)
add(cosmology_by_trapezoid, 0.7, 0.3, -0.9)
add(haversine, 52.5, 13.4, 48.1, 11.6)
add(vincenty, 52.5, 13.4, 48.1, 11.6)
add(orbit_to_state, 1.3, 0.2, 0.4, 1.1, 0.7, 2.1)
add(state_to_elements, [1.0, 0.3, 0.2], [-0.2, 0.9, 0.3])
add(transit_flux, [0.2, 0.95, 1.02, 1.4], 0.12)
add(radial_velocity, [0.3, 1.1, 2.2], 1.4, 0.3, 0.6, 3.1)

# ---- physics and chemistry


def breit_wigner(E, M, G):
    g = math.sqrt(M**2 * (M**2 + G**2))
    k = 2 * math.sqrt(2) * M * G * g / (math.pi * math.sqrt(M**2 + g))
    return k / ((E**2 - M**2) ** 2 + M**2 * G**2)


def fresnel(n1, n2, angle):
    cos_i = np.cos(angle)
    cos_t = np.sqrt(1 - (n1 / n2 * np.sin(angle)) ** 2)
    rs = (n1 * cos_i - n2 * cos_t) / (n1 * cos_i + n2 * cos_t)
    rp = (n1 * cos_t - n2 * cos_i) / (n1 * cos_t + n2 * cos_i)
    return 0.5 * (rs**2 + rp**2)


def thin_film(n, d, wavelength):
    """Transfer matrices."""
    M = np.eye(2, dtype=complex)
    for k in range(len(n)):
        delta = 2 * np.pi * n[k] * d[k] / wavelength
        layer = np.array(
            [[np.cos(delta), 1j * np.sin(delta) / n[k]], [1j * n[k] * np.sin(delta), np.cos(delta)]]
        )
        M = M @ layer
    B, C = M @ np.array([1.0, 1.5])
    r = (B - C) / (B + C)
    return np.abs(r) ** 2


def mie(x, m):
    """Extinction efficiency of a sphere."""
    total = 0.0
    for n in range(1, 8):
        jx, jmx = sp.spherical_jn(n, x), sp.spherical_jn(n, m * x)
        yx = sp.spherical_yn(n, x)
        djx, djmx = sp.spherical_jn(n, x, True), sp.spherical_jn(n, m * x, True)
        dyx = sp.spherical_yn(n, x, True)
        psi, dpsi, chi, dchi = x * jx, jx + x * djx, x * yx, yx + x * dyx
        pm, dpm = m * x * jmx, jmx + m * x * djmx
        a = (m * pm * dpsi - psi * dpm) / (m * pm * (dpsi + 1j * dchi) - (psi + 1j * chi) * dpm)
        b = (pm * dpsi - m * psi * dpm) / (pm * (dpsi + 1j * dchi) - m * (psi + 1j * chi) * dpm)
        total += (2 * n + 1) * (a + b).real
    return 2 / x**2 * total


def lennard_jones(x, eps, sigma):
    energy = 0.0
    for i in range(len(x)):
        for j in range(i):
            r = np.sqrt(((x[i] - x[j]) ** 2).sum())
            if r < 3.0:
                energy += 4 * eps * ((sigma / r) ** 12 - (sigma / r) ** 6)
    return energy


def morse(r, D, a, r0):
    return D * (1 - np.exp(-a * (r - r0))) ** 2


def ising_mean_field(T, h):
    m = 0.9
    for _ in range(200):
        m = np.tanh((m + h) / T)
    return m


def hydrogen(n, r, Z):
    rho = 2 * Z * r / n
    return np.exp(-rho / 2) * rho * sp.eval_genlaguerre(n - 2, 3, rho)


def partition(T, levels):
    w = np.exp(-levels / T)
    Z = w.sum()
    return -T * np.log(Z), (levels * w).sum() / Z


def antoine(T, A, B, C):
    return 10 ** (A - B / (C + T))


def peng_robinson(T, Pr, Tc, Pc, omega):
    R = 8.314
    kappa = 0.37464 + 1.54226 * omega - 0.26992 * omega**2
    if omega > 0.49:
        kappa = 0.379642 + 1.48503 * omega - 0.164423 * omega**2 + 0.016666 * omega**3
    alpha = (1 + kappa * (1 - np.sqrt(T / Tc))) ** 2
    a, b = 0.45724 * R**2 * Tc**2 / Pc * alpha, 0.0778 * R * Tc / Pc
    A, B = a * Pr / (R * T) ** 2, b * Pr / (R * T)
    Z = 1.0
    while True:
        f = Z**3 - (1 - B) * Z**2 + (A - 2 * B - 3 * B**2) * Z - (A * B - B**2 - B**3)
        df = 3 * Z**2 - 2 * (1 - B) * Z + (A - 2 * B - 3 * B**2)
        step = f / df
        Z -= step
        if abs(step) < 1e-14:
            break
    return Z


def redlich_kwong_roots(A, B):
    roots = np.roots([1.0, -1.0, A - B - B**2, -A * B])
    return roots[np.isreal(roots)].real.max()


def arrhenius_network(k1, k2, k3):
    K = np.array([[-k1, k2, 0], [k1, -k2 - k3, 0], [0, k3, 0]])
    return expm(1.3 * K) @ np.array([1.0, 0.0, 0.0])


def michaelis_menten(s, vmax, km, ki):
    return vmax * s / (km + s * (1 + s / ki))


def ph_of_buffer(Ka, C):
    H = scipy.optimize.brentq(lambda h: h * h + Ka * h - Ka * C, 0.0, 1.0, xtol=1e-15)
    return -np.log10(H)


def colebrook(Re, eps):
    f = 0.02
    for _ in range(30):
        f = (-2 * np.log10(eps / 3.7 + 2.51 / (Re * np.sqrt(f)))) ** -2
    return f


def friction(Re, eps):
    if Re < 2300:
        return 64 / Re
    return 0.25 / math.log10(eps / 3.7 + 5.74 / Re**0.9) ** 2


def diode(V, I0, Rs):
    """Through Lambert's W."""
    Vt = 0.7
    return Vt / Rs * sp.lambertw(I0 * Rs / Vt * np.exp((V + I0 * Rs) / Vt)).real - I0


def debye(T, theta):
    return (
        9
        * (T / theta) ** 3
        * scipy.integrate.quad(lambda x: x**4 * np.exp(x) / np.expm1(x) ** 2, 0, theta / T)[0]
    )


def coil(a, z, r):
    k2 = 4 * a * r / ((a + r) ** 2 + z**2)
    return np.sqrt(a / r) * (
        (2 / np.sqrt(k2) - np.sqrt(k2)) * sp.ellipk(k2) - 2 / np.sqrt(k2) * sp.ellipe(k2)
    )


add(breit_wigner, 91.3, 91.2, 2.5)
add(fresnel, 1.0, 1.5, 0.6)
add(thin_film, [1.4, 2.1, 1.4], [0.1, 0.06, 0.12], 0.55)
add(mie, 1.7, 1.4)
add(lennard_jones, [[0.0, 0.1], [1.2, 0.2], [0.3, 1.1], [4.0, 4.0]], 1.1, 0.9)
add(morse, 1.3, 4.4, 1.9, 1.1)
add(ising_mean_field, 0.8, 0.1)
add(lambda r, Z: hydrogen(4, r, Z), 2.1, 1.2, id="hydrogen")
add(partition, 0.8, [0.0, 0.4, 1.1])
add(antoine, 80.0, 8.07, 1730.6, 233.4)
add(peng_robinson, 350.0, 2e6, 369.8, 4.25e6, 0.152)
add(redlich_kwong_roots, 0.2, 0.03)
add(arrhenius_network, 0.7, 0.3, 0.4)
add(michaelis_menten, P, 1.4, 0.6, 3.1)
add(ph_of_buffer, 1.8e-3, 0.1)
add(colebrook, 1e5, 1e-3)
add(friction, 1500.0, 1e-3)
add(friction, 1e5, 1e-3)
add(diode, 0.6, 0.01, 0.8)
add(debye, 150.0, 400.0)
add(coil, 1.0, 0.4, 0.7)

# ---- earth and life


def penman(T, RH, u, Rn):
    es = 0.6108 * np.exp(17.27 * T / (T + 237.3))
    slope = 4098 * es / (T + 237.3) ** 2
    g = 0.066
    return (0.408 * slope * Rn + g * 900 / (T + 273) * u * es * (1 - RH)) / (slope + g * (1 + 0.34 * u))


def wet_bulb(T, RH):
    return (T * np.arctan(0.151977 * (RH + 8.313659) ** 0.5) + np.arctan(T + RH) - np.arctan(RH - 1.676331)
            + 0.00391838 * RH**1.5 * np.arctan(0.023101 * RH) - 4.686035)  # fmt: skip


def van_genuchten(h, alpha, n, ks):
    m = 1 - 1 / n
    Se = np.where(h < 0, (1 + np.abs(alpha * h) ** n) ** -m, 1.0)
    return ks * np.sqrt(Se) * (1 - (1 - Se ** (1 / m)) ** m) ** 2


def theis(r, t, T, S):
    return sp.exp1(r**2 * S / (4 * T * t)) / (4 * np.pi * T)


def linear_reservoir(rain, k, c):
    storage, flow = 0.5, []
    for p in rain:
        storage += max(p - c, 0.0)
        q = k * storage
        storage -= q
        flow.append(q)
    return np.array(flow)


def degree_day(T, melt, threshold):
    snow = 2.0
    out = np.zeros(len(T))
    for i, t in enumerate(T):
        if t < threshold:
            snow += 0.3
        else:
            m = min(melt * (t - threshold), snow)
            snow -= m
            out[i] = m
    return out


def sir(beta, g, I0):
    S, I, R = 1 - I0, I0, 0.0
    history = np.zeros((25, 3))
    for day in range(25):
        new = beta * S * I
        rec = g * I
        S, I, R = S - new, I + new - rec, R + rec
        history[day] = [S, I, R]
    return history[-1]


def seir_final_size(R0):
    z = 0.5
    while True:
        new = 1 - math.exp(-R0 * z)
        if abs(new - z) < 1e-14:
            return new
        z = new


def leslie_growth(fertility, survival):
    n = len(fertility)
    L = np.zeros((n, n))
    L[0] = fertility
    L[np.arange(1, n), np.arange(n - 1)] = survival
    v = np.ones(n)
    for _ in range(60):
        v = L @ v
        v /= v.sum()
    return (L @ v).sum()


def hodgkin_huxley(V, current):
    n, m, h = 0.32, 0.05, 0.6
    for _ in range(40):
        an, bn = 0.01 * (V + 55) / (1 - np.exp(-(V + 55) / 10)), 0.125 * np.exp(-(V + 65) / 80)
        am, bm = 0.1 * (V + 40) / (1 - np.exp(-(V + 40) / 10)), 4 * np.exp(-(V + 65) / 18)
        ah, bh = 0.07 * np.exp(-(V + 65) / 20), 1 / (1 + np.exp(-(V + 35) / 10))
        I = 120 * m**3 * h * (V - 50) + 36 * n**4 * (V + 77) + 0.3 * (V + 54.4)
        V += 0.02 * (current - I)
        n, m, h = (
            n + 0.02 * (an * (1 - n) - bn * n),
            m + 0.02 * (am * (1 - m) - bm * m),
            h + 0.02 * (ah * (1 - h) - bh * h),
        )
    return V


def felsenstein(t1, t2, kappa):
    pi = np.array([0.3, 0.2, 0.2, 0.3])
    Q = np.tile(pi, (4, 1))
    for a, b in ((0, 2), (2, 0), (1, 3), (3, 1)):
        Q[a, b] *= kappa
    np.fill_diagonal(Q, 0)
    Q = Q - np.diag(Q.sum(axis=1))
    L1, L2 = np.eye(4)[0], np.eye(4)[2]
    return np.log(pi @ ((expm(Q * t1) @ L1) * (expm(Q * t2) @ L2)))


add(penman, 21.0, 0.6, 2.1, 13.0)
add(wet_bulb, 21.0, 60.0)
add(van_genuchten, [-2.1, -0.4, 0.3], 1.2, 2.1, 0.7)
add(theis, 30.0, 2.0, 15.0, 1e-3)
add(linear_reservoir, [1.3, 0.1, 2.2, 0.7], 0.3, 0.4)
add(degree_day, [-1.3, 2.2, 0.4, 5.1], 0.4, 1.1)
add(sir, 0.6, 0.2, 0.02)
add(seir_final_size, 2.3)
add(leslie_growth, [0.1, 1.3, 0.9], [0.6, 0.4])
add(hodgkin_huxley, -64.0, 9.0)
add(felsenstein, 0.3, 0.5, 2.4)

# ---- images and colours


def srgb_to_linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def srgb_masks(c):
    out = np.empty_like(c)
    low = c <= 0.04045
    out[low] = c[low] / 12.92
    out[~low] = ((c[~low] + 0.055) / 1.055) ** 2.4
    return out


def rgb_to_lab(rgb):
    M = np.array([[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750],
                  [0.0193339, 0.1191920, 0.9503041]])  # fmt: skip
    xyz = srgb_masks(rgb) @ M.T / np.array([0.95047, 1.0, 1.08883])
    mask = xyz > 0.008856
    xyz[mask] = np.cbrt(xyz[mask])
    xyz[~mask] = 7.787 * xyz[~mask] + 16 / 116
    x, y, z = xyz[..., 0], xyz[..., 1], xyz[..., 2]
    return np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)], axis=-1)


def delta_e(lab1, lab2):
    return np.sqrt(np.sum((lab1 - lab2) ** 2, axis=-1))


def rgb_to_hsv(r, g, b):
    v = max(r, g, b)
    d = v - min(r, g, b)
    if d == 0:
        return np.array([0.0, 0.0, v])
    if v == r:
        h = (g - b) / d % 6
    elif v == g:
        h = (b - r) / d + 2
    else:
        h = (r - g) / d + 4
    return np.array([h / 6, d / v, v])


def hsv_to_rgb(h, s, v):
    i = int(h * 6)
    f = h * 6 - i
    p, q, t = v * (1 - s), v * (1 - s * f), v * (1 - s * (1 - f))
    return np.array([(v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q)][i % 6])


def rgb_to_hsv_array(rgb):
    out = np.zeros_like(rgb)
    v = rgb.max(-1)
    d = np.ptp(rgb, -1)
    for c, shift in ((0, 0.0), (1, 2.0), (2, 4.0)):
        idx = rgb[:, c] == v
        out[idx, 0] = shift + (rgb[idx, (c + 1) % 3] - rgb[idx, (c + 2) % 3]) / d[idx]
    out[:, 0] = (out[:, 0] / 6.0) % 1.0
    out[:, 1] = d / v
    out[:, 2] = v
    return out


def gamma_correct(image, g):
    return np.clip(image, 0, 1) ** (1 / g)


def convolve_by_slices(image, kernel):
    h, w = kernel.shape
    H, Wd = image.shape[0] - h + 1, image.shape[1] - w + 1
    out = np.zeros((H, Wd))
    for i in range(h):
        for j in range(w):
            out += kernel[i, j] * image[i : i + H, j : j + Wd]
    return out


def convolve_by_windows(image, kernel):
    windows = np.lib.stride_tricks.sliding_window_view(image, kernel.shape)
    return np.einsum("ijkl,kl->ij", windows, kernel)


def sobel(image):
    gx = (
        image[:-2, 2:]
        + 2 * image[1:-1, 2:]
        + image[2:, 2:]
        - image[:-2, :-2]
        - 2 * image[1:-1, :-2]
        - image[2:, :-2]
    )
    gy = (
        image[2:, :-2]
        + 2 * image[2:, 1:-1]
        + image[2:, 2:]
        - image[:-2, :-2]
        - 2 * image[:-2, 1:-1]
        - image[:-2, 2:]
    )
    return np.hypot(gx, gy)


def bilinear(image, x, y):
    x0, y0 = np.floor(x).astype(int), np.floor(y).astype(int)
    x1, y1 = np.clip(x0 + 1, 0, image.shape[1] - 1), np.clip(y0 + 1, 0, image.shape[0] - 1)
    wx, wy = x - x0, y - y0
    top = image[y0, x0] * (1 - wx) + image[y0, x1] * wx
    return top * (1 - wy) + (image[y1, x0] * (1 - wx) + image[y1, x1] * wx) * wy


def bilateral(image, s, r):
    pad = np.pad(image, 1, mode="edge")
    out, norm = np.zeros_like(image), np.zeros_like(image)
    for dy in range(3):
        for dx in range(3):
            moved = pad[dy : dy + image.shape[0], dx : dx + image.shape[1]]
            w = np.exp(-((dy - 1) ** 2 + (dx - 1) ** 2) / (2 * s**2) - (moved - image) ** 2 / (2 * r**2))
            out += w * moved
            norm += w
    return out / norm


def total_variation(image):
    return np.abs(np.diff(image, axis=0)).sum() + np.abs(np.diff(image, axis=1)).sum()


def ssim(a, b):
    c1, c2 = 0.01**2, 0.03**2
    cov = ((a - a.mean()) * (b - b.mean())).mean()
    return (
        (2 * a.mean() * b.mean() + c1)
        * (2 * cov + c2)
        / ((a.mean() ** 2 + b.mean() ** 2 + c1) * (a.var() + b.var() + c2))
    )


def rodrigues(v, axis, theta):
    k = axis / np.linalg.norm(axis)
    return v * np.cos(theta) + np.cross(k, v) * np.sin(theta) + k * np.dot(k, v) * (1 - np.cos(theta))


def quaternion_matrix(q):
    w, x, y, z = q / np.sqrt(np.sum(q * q))
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                     [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                     [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])  # fmt: skip


def camera(points, f, t):
    homogeneous = np.hstack([points + t, np.ones((len(points), 1))])
    K = np.zeros((3, 4))
    K[0, 0] = K[1, 1] = f
    K[2, 2] = 1
    uvw = homogeneous @ K.T
    return uvw[:, :2] / uvw[:, 2:]


for f in (srgb_to_linear, srgb_masks, rgb_to_lab, rgb_to_hsv_array):
    add(f, [*RGB.tolist(), [0.01, 0.02, 0.9]])
add(delta_e, RGB, RGB[::-1])
add(rgb_to_hsv, 0.3, 0.8, 0.5)
add(rgb_to_hsv, 0.7, 0.2, 0.5)
add(hsv_to_rgb, 0.42, 0.6, 0.7)
add(gamma_correct, IMAGE, 2.2)
KERNEL = [[0.3, 0.5], [0.1, -0.4]]
add(convolve_by_slices, IMAGE, KERNEL)
add(convolve_by_windows, IMAGE, KERNEL)
for f in (sobel, total_variation):
    add(f, IMAGE)
add(bilinear, IMAGE, [1.3, 2.4], [0.7, 1.6])
add(bilateral, IMAGE, 1.1, 0.3)
add(ssim, IMAGE, IMAGE[::-1])
add(rodrigues, [1.0, 0.2, -0.4], [0.1, 0.5, 0.3], 0.7)
add(quaternion_matrix, [0.9, 0.1, 0.2, 0.3])
add(camera, [[0.1, 0.2, 2.0], [0.4, -0.3, 3.1]], 1.4, [0.1, 0.0, 0.2])

# ---- statistics, finance, learning


def gp_likelihood(y, length, amplitude, noise):
    x = np.arange(len(y), dtype=float)
    K = amplitude**2 * np.exp(-0.5 * (x[:, None] - x[None, :]) ** 2 / length**2) + noise**2 * np.eye(len(y))
    factor = cho_factor(K, lower=True)
    return (
        -0.5 * y @ cho_solve(factor, y) - np.log(np.diag(factor[0])).sum() - 0.5 * len(y) * np.log(2 * np.pi)
    )


def gp_triangular(y, length, noise):
    x = np.linspace(0, 1, len(y))
    r = np.abs(np.subtract.outer(x, x)) / length
    K = (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)
    K[np.diag_indices_from(K)] += noise
    L = cholesky(K, lower=True)
    a = solve_triangular(L, y, lower=True)
    return -0.5 * np.dot(a, a) - np.sum(np.log(np.diag(L)))


def gp_slogdet(y, length):
    x = np.arange(len(y))
    K = np.exp(-np.abs(x[:, None] - x) / length) + 0.1 * np.eye(len(y))
    _, logdet = np.linalg.slogdet(K)
    return -0.5 * (y.dot(np.linalg.solve(K, y)) + logdet)


def gp_predict(y, length, at):
    k = lambda a, b: np.exp(-0.5 * np.square(np.subtract.outer(a, b) / length))
    x = np.arange(len(y), dtype=float)
    Kinv = np.linalg.inv(k(x, x) + 1e-2 * np.eye(len(y)))
    Ks = k(at, x)
    return Ks @ Kinv @ y, np.diag(k(at, at) - Ks @ Kinv @ Ks.T)


def matern(r, length, nu):
    z = np.sqrt(2 * nu) * r / length
    return 2 ** (1 - nu) / gamma(nu) * z**nu * sp.kv(nu, z)


def black_scholes(S, K, T, r, sigma):
    d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
    d2 = d1 - sigma * np.sqrt(T)
    return S * st.norm.cdf(d1) - K * np.exp(-r * T) * st.norm.cdf(d2)


def black_scholes_erf(S, K, T, r, sigma):
    N = lambda x: 0.5 * (1 + erf(x / math.sqrt(2)))
    d1 = (math.log(S / K) + (r + 0.5 * sigma**2) * T) / (sigma * math.sqrt(T))
    return S * N(d1) - K * math.exp(-r * T) * N(d1 - sigma * math.sqrt(T))


def binomial_tree(S, K, r, sigma):
    n, dt = 12, 1 / 12
    u = np.exp(sigma * np.sqrt(dt))
    p = (np.exp(r * dt) - 1 / u) / (u - 1 / u)
    values = np.maximum(S * u ** np.arange(-n, n + 1, 2) - K, 0)
    for _ in range(n):
        values = np.exp(-r * dt) * (p * values[1:] + (1 - p) * values[:-1])
    return values[0]


def implied_volatility(price):
    f = lambda s: black_scholes_erf(100.0, 105.0, 0.5, 0.02, s) - price
    return scipy.optimize.brentq(f, 0.01, 2.0, xtol=1e-14)


def bond_yield(price, coupon):
    y = 0.05
    for _ in range(50):
        t = np.arange(1, 11)
        value = np.sum(coupon / (1 + y) ** t) + 100 / (1 + y) ** 10
        slope = -np.sum(t * coupon / (1 + y) ** (t + 1)) - 1000 / (1 + y) ** 11
        step = (value - price) / slope
        y = y - step
        if abs(step) < 1e-15:
            break
    return y


def heston_term(u, kappa, theta, sigma, rho, v0):
    xi = kappa - sigma * rho * u * 1j
    d = np.sqrt(xi**2 + sigma**2 * (u**2 + 1j * u))
    g = (xi + d) / (xi - d)
    C = kappa * theta / sigma**2 * ((xi - d) - 2 * np.log((1 - np.exp(-d) / g) / (1 - 1 / g)))
    D = (xi - d) / sigma**2 * (1 - np.exp(-d)) / (1 - np.exp(-d) / g)
    return np.exp(C + D * v0).real


def softmax(x):
    e = np.exp(x - np.max(x))
    return e / e.sum()


def cross_entropy(W, x):
    z = W @ x
    z -= z.max()
    return -(z[1] - np.log(np.exp(z).sum()))


def mlp(x, W1, b1, W2):
    h = np.maximum(0, W1 @ x + b1)
    return 1 / (1 + np.exp(-(W2 @ h)))


def layer_norm(x, g, b):
    mu, var = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return g * (x - mu) / np.sqrt(var + 1e-5) + b


def attention(Q, K, V):
    s = Q @ K.T / np.sqrt(Q.shape[-1])
    w = np.exp(s - s.max(axis=-1, keepdims=True))
    return w / w.sum(axis=-1, keepdims=True) @ V


def gelu(x):
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def rnn(x, W, U, h):
    for t in range(len(x)):
        h = np.tanh(W * x[t] + U @ h)
    return h


def huber(r, delta):
    return np.where(np.abs(r) <= delta, 0.5 * r**2, delta * (np.abs(r) - 0.5 * delta)).sum()


def huber_scalar(r, delta):
    return 0.5 * r * r if abs(r) <= delta else delta * (abs(r) - 0.5 * delta)


def kalman(y, q, r):
    x, P = 0.0, 1.0
    ll = 0.0
    for z in y:
        P = P + q
        S = P + r
        K = P / S
        ll += -0.5 * (np.log(2 * np.pi * S) + (z - x) ** 2 / S)
        x = x + K * (z - x)
        P = (1 - K) * P
    return ll


def kalman_matrix(y, q):
    F, H = np.array([[1.0, 1.0], [0.0, 1.0]]), np.array([[1.0, 0.0]])
    x, P = np.zeros((2, 1)), np.eye(2)
    out = []
    for z in y:
        x, P = F @ x, F @ P @ F.T + q * np.eye(2)
        K = P @ H.T @ np.linalg.inv(H @ P @ H.T + 0.5)
        x = x + K * (z - H @ x)
        P = (np.eye(2) - K @ H) @ P
        out.append(x[0, 0])
    return np.array(out)


def hmm_forward(T, E):
    T, E = T / T.sum(axis=1, keepdims=True), E / E.sum(axis=1, keepdims=True)
    alpha = np.full(2, 0.5)
    ll = 0.0
    for o in (0, 2, 1, 1, 0):
        alpha = (alpha @ T) * E[:, o]
        c = alpha.sum()
        alpha /= c
        ll += np.log(c)
    return ll


def viterbi(T, E):
    V = np.log(E[:, 0])
    for o in (2, 1, 0):
        scores = V[:, None] + np.log(T)
        V = scores.max(axis=0) + np.log(E[:, o])
    return np.max(V)


def dynamic_time_warping(a, b):
    D = np.full((len(a) + 1, len(b) + 1), np.inf)
    D[0, 0] = 0
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            D[i, j] = abs(a[i - 1] - b[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[-1, -1]


def ar_likelihood(y, phi, sigma):
    r = y[1:] - phi * y[:-1]
    return st.norm.logpdf(r, scale=sigma).sum() + st.norm(0, sigma / np.sqrt(1 - phi**2)).logpdf(y[0])


def garch(r, omega, alpha, beta):
    s2 = np.zeros_like(r)
    s2[0] = np.var(r)
    for t in range(1, r.size):
        s2[t] = omega + alpha * r[t - 1] ** 2 + beta * s2[t - 1]
    return 0.5 * np.sum(np.log(s2) + r**2 / s2)


def mixture(x, w, mu, sigma):
    logs = np.log(w / w.sum()) + st.norm.logpdf(x[:, None], mu, sigma)
    return sp.logsumexp(logs, axis=1).sum()


def em_step(x, mu):
    r = np.exp(-0.5 * (x[:, None] - mu) ** 2)
    r /= r.sum(axis=1)[:, None]
    return (r * x[:, None]).sum(axis=0) / r.sum(axis=0)


def poisson_regression(X, beta):
    eta = X @ beta
    return np.sum(np.array([1, 0, 3]) * eta - np.exp(eta) - sp.gammaln(np.array([1, 0, 3]) + 1))


def negative_binomial(mu, k):
    y = np.arange(5)
    return np.sum(
        sp.gammaln(y + k)
        - sp.gammaln(k)
        - sp.gammaln(y + 1)
        + k * np.log(k / (k + mu))
        + y * np.log(mu / (k + mu))
    )


def student_likelihood(x, nu, mu, sigma):
    return st.t.logpdf(x, nu, loc=mu, scale=sigma).sum()


def irls(X, y):
    beta = np.zeros(X.shape[1])
    for _ in range(15):
        p = 1 / (1 + np.exp(-X @ beta))
        W = p * (1 - p)
        beta = beta + np.linalg.solve((X.T * W) @ X + 0.1 * np.eye(len(beta)), X.T @ (y - p) - 0.1 * beta)
    return beta


def ols_t_values(X, y):
    beta, *_ = np.linalg.lstsq(X, y, rcond=None)
    r = y - X @ beta
    s2 = r @ r / (len(y) - X.shape[1])
    return beta / np.sqrt(s2 * np.diag(np.linalg.inv(X.T @ X)))


def ridge_path(X, y, lam):
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    return Vt.T @ (s / (s**2 + lam) * (U.T @ y))


def pca_variance(X):
    X = X - X.mean(axis=0)
    return np.linalg.eigvalsh(X.T @ X / (len(X) - 1))[::-1]


def silverman_kde(data, at):
    h = 1.06 * np.std(data) * len(data) ** (-1 / 5)
    return np.mean(np.exp(-0.5 * ((at[:, None] - data) / h) ** 2), axis=1) / (h * np.sqrt(2 * np.pi))


def savage_dickey(a, b):
    return st.beta.pdf(0.5, a, b) / st.beta.pdf(0.5, 1, 1)


def histogram_soft(x, centres, width):
    w = np.exp(-(((x[:, np.newaxis] - centres[np.newaxis, :]) / width) ** 2))
    return np.sum(w / np.sum(w, axis=1, keepdims=True), axis=0)


def gini(x):
    x = np.sort(x)
    n = x.size
    return (2 * np.arange(1, n + 1) - n - 1) @ x / (n * x.sum())


def brier(p):
    return np.mean([(q - o) ** 2 for q, o in zip(p, [1, 0, 1, 1, 0])])  # noqa: B905


X = [[1.0, 0.3], [1.0, -0.7], [1.0, 1.2]]
X5 = [[1.0, 0.3, 0.4], [1.0, -0.7, 0.9], [1.0, 1.2, -0.6], [1.0, 0.4, 0.2], [1.0, -1.1, -0.3]]
for f, more in ((gp_likelihood, (1.3, 0.9, 0.4)), (gp_triangular, (0.4, 0.2)), (gp_slogdet, (1.3,)),
                (gp_predict, (1.3, [0.4, 2.2])), (rnn, ([0.3, -0.4], [[0.5, 0.1], [-0.2, 0.7]], [0.1, 0.2])),
                (huber, (0.8,)), (kalman, (0.3, 0.6)), (kalman_matrix, (0.3,)), (ar_likelihood, (0.4, 0.9)),
                (garch, (0.1, 0.2, 0.6)), (mixture, ([0.4, 0.6], [-0.5, 0.7], [0.8, 0.5])), (em_step, ([-0.5, 0.7],)),
                (student_likelihood, (4.2, 0.1, 0.9)), (silverman_kde, ([0.2, 0.9],)), (softmax, ()), (gelu, ()),
                (layer_norm, (U, P)), (histogram_soft, ([-0.5, 0.3, 0.9], 0.7))):  # fmt: skip
    add(f, U, *more)
add(matern, 0.7, 1.2, 1.7)
for f in (black_scholes, black_scholes_erf):
    add(f, 100.0, 105.0, 0.5, 0.02, 0.3)
add(binomial_tree, 100.0, 98.0, 0.02, 0.3)
add(implied_volatility, 7.1)
add(bond_yield, 93.0, 4.0)
add(heston_term, 1.3, 1.5, 0.04, 0.3, -0.7, 0.05)
add(cross_entropy, W, [0.4, 1.1, -0.6])
add(mlp, [0.4, 1.1, -0.6], W, [0.1, 0.2], [[0.7, -0.3]])
add(attention, W, [[0.4, 1.1, -0.6], [0.2, 0.3, 0.8]], [[0.4, 1.1], [-0.6, 0.3]])
add(huber_scalar, 0.3, 0.8)
add(huber_scalar, -1.7, 0.8)
add(hmm_forward, [[0.7, 0.3], [0.2, 0.8]], [[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]])
add(viterbi, [[0.7, 0.3], [0.2, 0.8]], [[0.5, 0.3, 0.2], [0.1, 0.4, 0.5]])
add(dynamic_time_warping, U, [0.2, -0.4, 1.3, 0.1])
add(poisson_regression, X, [0.4, 0.7])
add(negative_binomial, 1.7, 2.4)
add(lambda X: irls(X, np.array([1.0, 0.0, 1.0])), X, id="irls")
for f, more in ((ols_t_values, ()), (ridge_path, (0.7,))):
    add(f, X5, U, *more)
add(pca_variance, X5)
add(savage_dickey, 2.3, 1.7)
add(gini, P)
add(brier, [0.8, 0.3, 0.6, 0.9, 0.2])
ROWS = list(add)
