"""Functions of NumPy and SciPy with their options, in recorded code: slopes both ways beside differences."""

import warnings

import numpy as np
import pytest
import scipy.linalg
import scipy.special
import scipy.stats

from hostwrap._tracing.tape import run

random = np.random.default_rng(5)
NAMES = {"np": np, "scipy": scipy, "w": random.uniform(size=7), "some": np.array([3, 1, 1, 0])}
VECTOR, MATRIX = random.normal(size=7) + 0.3, random.normal(size=(4, 3))
SQUARE = random.normal(size=(3, 3)) + 3 * np.eye(3)
OF_A_VECTOR = """
    np.std(x,ddof=1)
    np.var(x,ddof=2)
    np.average(x,weights=w)
    np.trapezoid(x,dx=.3)
    np.trapezoid(np.sin(x),x)
    np.gradient(x,0.2)
    np.gradient(x,edge_order=2)
    np.gradient(x,np.cumsum(w))
    np.gradient(w,np.sort(x))
    np.diff(x,n=2)
    np.diff(x,prepend=0.,append=x[:1])
    np.cumsum(x)
    np.cumprod(x)
    np.percentile(x,[20,55.])
    np.median(x)
    np.interp(x,[-3,0,1,3.],[0,2,1,5.])
    np.interp(x,[-.5,0,.5],[1,2,4.],left=7.,right=9.)
    np.interp([.1,.7],np.sort(x),w)
    np.convolve(x,[1,2,3.])
    np.convolve([1,2.],x,'same')
    np.convolve(x,x[:3],'valid')
    np.correlate(x,[1,2,3.],'full')
    np.pad(x,2,mode='reflect')
    np.pad(x,(1,3),mode='edge')
    np.pad(x,2,mode='wrap')
    np.pad(x,2,mode='symmetric')
    np.pad(x,2,constant_values=x[0])
    np.unwrap(3*x)
    np.nan_to_num(x)
    np.clip(x,-.3,.4)
    np.clip(x,None,w)
    np.kron(x,[1,2.])
    np.outer(x,x)
    np.inner(x,x)
    np.vdot(x,w)
    np.dot(x,w)
    np.einsum('i,i->',x,x)
    np.einsum('i,j->ij',x,w)
    np.sort(x)
    np.partition(x,3)
    np.ptp(x)
    np.bincount([0,1,1,2,2,2,3],weights=x)
    np.vander(x,4)
    np.vander(x,3,increasing=True)
    np.polyval(x,1.3)
    np.polyval([1,2,3.],x)
    np.polyfit(np.arange(7.),x,2)
    np.polyfit(np.sort(x),w,2)
    np.poly(x[:3])
    np.polyadd(x,[1,2.])
    np.polyder(x)
    np.polyint(x)
    np.ediff1d(x,to_begin=0.)
    np.piecewise(x,[x<0,x>=0],[lambda t:-t**2,lambda t:t**3])
    np.select([x<0,x>.5],[x,x**2],x**3)
    np.heaviside(x,.5)
    np.sinc(x)
    np.i0(x)
    np.hypot(x,1.)
    np.logaddexp2(x,.3)
    np.logaddexp(x,x**2)
    np.fmod(x,.3)
    np.remainder(x,.3)
    np.remainder(3.,x)
    np.fmod(5.,x)
    np.floor_divide(x,.3)
    np.copysign(x,-1.)
    np.modf(x)[0]
    np.modf(x)[1]
    np.divmod(x,.7)[1]
    np.cbrt(x)
    np.deg2rad(x)
    np.reciprocal(x)
    np.arctan2(x,x**2+1)
    np.sign(x)*x
    np.abs(x)
    np.fabs(x)
    np.maximum(x,.1)
    np.fmin(x,.1)
    np.square(x)
    np.exp2(x)
    np.expm1(x)
    np.tanh(x)
    np.arcsinh(x)
    np.ldexp(x,2)
    np.roll(x,2)
    np.flip(x)
    x[::-2]
    x[some]
    x[[True,False,True,True,False,False,True]]
    np.take(x,some,mode='wrap')
    np.repeat(x,[1,2,0,1,1,3,1])
    np.tile(x,(2,2))
    np.delete(x,[1,2])
    np.insert(x,2,9.)
    np.append(x,x**2)
    np.where(x>0,x,x**2)
    np.compress(x>0,x)
    np.choose([0,1,0],[x[:3],x[3:6]**2])
    np.unique(x)
    np.trim_zeros(x)
    np.array_split(x,3)[1]
    np.split(x,[2,5])[1]
    np.meshgrid(x,x)[0]
    np.broadcast_to(x,(2,7))
    np.lib.stride_tricks.sliding_window_view(x,3).sum(1)
    np.apply_along_axis(lambda r:r**2,0,x)
    np.vectorize(lambda t:t**2 if t>0 else t)(x)
    np.frompyfunc(lambda t:t*3,1,1)(x).astype(float)
    np.array([t**2 for t in x])
    np.asarray(list(x))*2
    np.stack([x,x**2],1)
    np.c_[x,x**2]
    np.r_[x,1.,x**2]
    np.full_like(x,x[1])
    np.linspace(x[0],x[1],5)
    np.logspace(x[0],1.,4)
    np.arange(3)*x[0]
    np.nanmean(x)
    np.nansum(x)
    np.nanmax(x)
    np.nancumsum(x)
    np.prod(x)
    np.linalg.norm(x,3)
    np.linalg.norm(x,-np.inf)
    np.histogram([.1,.5,.9,.2,.3,.7,.8],bins=3,weights=x)[0]
    np.real(np.exp(1j*x))
    np.angle(1+1j*x)
    np.abs(np.fft.fft(x))
    np.fft.irfft(np.fft.rfft(x),7)
    np.abs(np.fft.rfft(x,10,norm='ortho'))
    np.fft.hfft(x)
    np.real(np.fft.ifft(x,5))
    np.cov(x,w)
    np.corrcoef(x,w)
    np.cov(x,ddof=0,aweights=w)
    x.mean()
    x.clip(0)
    x.dot(w)
    x.cumsum()
    x.round()+x
    x.repeat(2)
    x.reshape(7,1)*x
    x.var(ddof=1)
    x.argsort()*x
    (x@w)**2
    x//.3*x
    x%0.3
    2**x
    abs(x)**x
    -x
    +x
    np.add.reduce(x)
    np.multiply.accumulate(x)
    np.add.outer(x,x)
    np.maximum.reduce(x)
    np.subtract.outer(x,w)
    np.nanstd(x)
    np.nanvar(x,ddof=1)
    np.nanstd(np.where(x>0,x,np.nan))
    np.nanprod(x)
    np.full((2,7),x)
    np.full(3,x[0])
    x.compress(x>0)
    np.arccos(3+x**2+0j).imag
    np.arccos(-3-x**2+0j).imag
    np.arcsin(np.conj(3+x**2+0j)).imag
    np.arccosh(np.conj(-3-x**2+0j)).real
    np.arcsinh(2j*(1+x**2)).real
"""
OF_A_MATRIX = """
    np.nanvar(np.where(x<.9,x,np.nan),axis=0,keepdims=True)
    np.nanstd(x,axis=1)
    np.linalg.norm(x)
    np.linalg.norm(x,1)
    np.linalg.norm(x,np.inf)
    np.linalg.norm(x,axis=1)
    np.linalg.norm(x,'nuc')
    np.linalg.norm(x,2)
    np.linalg.norm(x,-2)
    np.linalg.norm(x,1,axis=(0,1))
    np.linalg.norm(x,-np.inf,axis=(1,0),keepdims=True)
    np.linalg.norm(np.stack([x,x*x]),'nuc',axis=(1,2))
    np.linalg.norm(np.stack([x,x*x]),2,axis=(-1,1),keepdims=True)
    np.linalg.norm(x,ord=3,axis=0,keepdims=True)
    np.linalg.pinv(x)
    np.linalg.lstsq(x,np.arange(4.))[0]
    np.linalg.lstsq(x,np.arange(4.))[1]
    np.linalg.svd(x,compute_uv=False)
    np.linalg.qr(x)[1]
    np.linalg.multi_dot([x,x.T,x])
    np.tensordot(x,x,([0],[0]))
    np.tensordot(x,x,0)
    np.cross(x,x[::-1]**2)
    np.mean(x,axis=(0,1),keepdims=True)
    np.std(x,axis=1,keepdims=True)
    np.sort(x,axis=None)
    np.sort(x,axis=0)
    np.cumsum(x,axis=1)
    np.cumprod(x,axis=0)
    np.diff(x,axis=0)
    np.gradient(x)[0]
    np.gradient(x,.1,[0,1,3.])[1]
    np.rot90(x)
    np.roll(x,(1,2),(0,1))
    np.pad(x,((1,0),(0,2)),'reflect')
    np.max(x,axis=1)
    np.median(x,axis=0)
    np.percentile(x,40,axis=1,keepdims=True)
    np.cov(x)
    np.cov(x,rowvar=False)
    np.corrcoef(x.T)
    np.trapezoid(x,axis=0)
    np.average(x,axis=0,weights=[1,2,3,4.])
    np.einsum('ij,kj->ik',x,x)
    np.einsum('ij->j',x)
    np.einsum('ij,ij',x,x,optimize=True)
    np.diag(x@x.T)
    np.trace(x@x.T)
    np.tril(x)
    np.triu(x,1)
    x[1:,::2]
    x[:,[0,0,2]]
    x[x>0]
    x[[0,1],[2,2]]
    x[...,None,0]
    x.T.ravel()
    x.ravel('F')
    x.flatten()[3]
    np.take_along_axis(x,np.argsort(x,1),1)
    np.fft.fft2(x).real
    np.abs(np.fft.rfftn(x))
    np.apply_along_axis(np.sort,1,x)
    np.apply_over_axes(np.sum,x,[0])
    np.block([[x,x**2]])
    np.swapaxes(x,0,1)
    np.ptp(x,axis=0)
    np.prod(x,axis=1)
    np.digitize(x,[0.])*x
    np.argmax(x,1)*x[:,0]
    np.lexsort(x.T)*x[:,0]
    scipy.special.logsumexp(x,axis=1)
    scipy.special.softmax(x,axis=0)
    scipy.special.logsumexp(x,b=x**2)
    scipy.linalg.svdvals(x)
    scipy.linalg.pinv(x)
    scipy.linalg.norm(x)
    scipy.linalg.khatri_rao(x,x)
    scipy.signal.detrend(x)
    scipy.stats.zscore(x)
    scipy.stats.skew(x)
    scipy.stats.kurtosis(x,bias=False)
    scipy.stats.gmean(np.abs(x))
    scipy.stats.sem(x)
    scipy.stats.trim_mean(x,.1)
"""
OF_A_SQUARE = """
    np.linalg.inv(x)
    np.linalg.det(x)
    np.linalg.slogdet(x)[1]
    np.linalg.solve(x,[1,2,3.])
    np.linalg.solve(x,x.T)
    np.linalg.matrix_power(x,3)
    np.linalg.matrix_power(x,-2)
    np.linalg.cond(x)
    np.linalg.cond(x,-2)
    np.linalg.cond(x,p='fro')
    np.linalg.cond(x,1)
    np.linalg.cond(x,'nuc')
    np.linalg.eigvals(x+x.T).real
    np.linalg.eigh(x+x.T)[0]
    np.linalg.eigvalsh(x,UPLO='U')
    np.linalg.cholesky(x@x.T)
    np.linalg.tensorinv(x.reshape(3,1,3,1)[:,0,:,0],1)
    scipy.linalg.inv(x)
    scipy.linalg.solve(x,[1,2,3.],assume_a='gen')
    scipy.linalg.solve(x@x.T,[1,2,3.],assume_a='pos')
    scipy.linalg.solve(x,[1,2,3.],transposed=True)
    scipy.linalg.solve_triangular(x,[1,2,3.])
    scipy.linalg.solve_triangular(x,[1,2,3.],lower=True)
    scipy.linalg.solve_triangular(x,[1,2,3.],trans='T')
    scipy.linalg.solve_triangular(x,[1,2,3.],unit_diagonal=True)
    scipy.linalg.cholesky(x@x.T,lower=True)
    scipy.linalg.cho_solve(scipy.linalg.cho_factor(x@x.T),[1,2,3.])
    scipy.linalg.cho_solve((scipy.linalg.cholesky(x@x.T,lower=True),True),[1,2,3.])
    scipy.linalg.expm(x)
    scipy.linalg.det(x)
    scipy.linalg.toeplitz(x[0])
    scipy.linalg.toeplitz(x[0],x[1])
    scipy.linalg.block_diag(x,x)
    scipy.linalg.circulant(x[0])
    scipy.linalg.hankel(x[0])
    scipy.linalg.lstsq(x,[1,2,3.])[0]
    scipy.linalg.orth(x)@scipy.linalg.orth(x).T
    np.kron(x,x)
    x@x@x
    np.matmul(x,x.T)
    np.diagonal(x,1)
    np.diagflat(x[0])
    np.fill_diagonal(y:=x.copy(),x[0]) or y
    np.vecdot(x,x)
    np.linalg.vector_norm(x,axis=0)
    np.linalg.matrix_norm(x)
    np.linalg.trace(x)
    np.linalg.outer(x[0],x[1])
"""
CASES = [(VECTOR, OF_A_VECTOR), (MATRIX, OF_A_MATRIX), (SQUARE, OF_A_SQUARE)]


@pytest.mark.parametrize(
    ("x", "text"),
    [
        pytest.param(x, line.strip(), id=line.strip())
        for x, lines in CASES
        for line in lines.strip().splitlines()
    ],
)
def test_slopes_are_those_of_the_values(x, text):
    f = eval(f"lambda x: {text}", NAMES)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value, found = f(x.copy()), run(f, [x.copy()], [True])
        step = np.random.default_rng(1).normal(size=x.shape)
        rough, fine = ((np.asarray(f(x + h * step)) - f(x - h * step)) / (2 * h) for h in (1e-5, 3e-6))
    (tangent,) = found.jvp([step])
    scale = 1 + np.abs(fine)
    assert np.max(np.abs(tangent - fine) / scale) < max(1e-6, 20 * np.max(np.abs(rough - fine) / scale))
    weights = np.random.default_rng(2).normal(size=np.shape(value))
    assert np.sum(found.vjp([weights])[0] * step) == pytest.approx(
        np.sum(weights * tangent), rel=1e-9, abs=1e-9
    )
